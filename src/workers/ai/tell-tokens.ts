/** People see no more pictures than that, and each is an event. */
const EVERY_MS = 50;

/** Enough to see what is going on. */
const LONGEST = 200;

/** Tells people the line that a model writes at, as it grows. Of a line that has no end, only its last characters are kept. */
export function tellTokens(
  tell: (text: string) => void,
  now: () => number,
  signal: AbortSignal,
): (text: string) => void {
  let line = '';
  let last = '';
  let toldAt = Number.NEGATIVE_INFINITY;
  return (text) => {
    const [first = '', ...rest] = text.split('\n');
    const lines = [line + first, ...rest];
    line = (lines.at(-1) ?? '').slice(-LONGEST);
    last =
      lines
        .findLast((one) => one.trim() !== '')
        ?.trim()
        .slice(-LONGEST) ?? last;
    const at = now();
    if (signal.aborted || last === '' || at - toldAt < EVERY_MS) return;
    toldAt = at;
    tell(last);
  };
}
