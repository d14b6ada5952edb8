/** Enough to see what is going on. */
const LONGEST = 200;

const lastLine = (text: string): string | null => {
  const line = text
    .split(/[\r\n]+/)
    .findLast((one) => one.trim() !== '')
    ?.trim();
  return line === undefined ? null : line.slice(0, LONGEST);
};

/** Tells people the last line of what a process writes, each line once in a row, until it is aborted. */
export function tellOutput(tell: (text: string) => void, signal: AbortSignal): (chunk: string) => void {
  let told = '';
  return (chunk) => {
    const line = lastLine(chunk);
    if (line === null || line === told || signal.aborted) return;
    told = line;
    tell(line);
  };
}
