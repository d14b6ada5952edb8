/** Returns a log without stack frames and empty lines. */
export const withoutStackFrames = (log: string): readonly string[] =>
  log
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/^\s+at\s/.test(line));
