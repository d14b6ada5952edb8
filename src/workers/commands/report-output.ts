/** Maximum length of a progress line in characters. */
const LONGEST = 200;

const lastLine = (text: string): string | null => {
  const line = text
    .split(/[\r\n]+/)
    .findLast((one) => one.trim() !== '')
    ?.trim();
  return line === undefined ? null : line.slice(0, LONGEST);
};

/**
 * Returns a function that reports the last line of a process's output, unless it repeats the previous line. It stops
 * reporting once `signal` is aborted.
 */
export function reportOutput(report: (text: string) => void, signal: AbortSignal): (chunk: string) => void {
  let reported = '';
  return (chunk) => {
    const line = lastLine(chunk);
    if (line === null || line === reported || signal.aborted) return;
    reported = line;
    report(line);
  };
}
