/** A log without the frames of its stack traces and without empty lines. */
export const tellingLines = (log: string): readonly string[] =>
  log
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/^\s+at\s/.test(line));
