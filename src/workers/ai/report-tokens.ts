/**
 * Minimum time between two progress reports in milliseconds, because each report is an event and a display can't show
 * more.
 */
const EVERY_MS = 50;

/** Maximum length of a progress line in characters. */
const LONGEST = 200;

/**
 * Returns a function that receives streamed text and reports the line that the model is currently writing. If the line
 * is long, only its last characters are reported.
 */
export function reportTokens(
  report: (text: string) => void,
  now: () => number,
  signal: AbortSignal,
): (text: string) => void {
  let line = '';
  let last = '';
  let reportedAt = Number.NEGATIVE_INFINITY;
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
    if (signal.aborted || last === '' || at - reportedAt < EVERY_MS) return;
    reportedAt = at;
    report(last);
  };
}
