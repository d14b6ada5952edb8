import { estimateTokens } from '#protocol/estimate-tokens.ts';

/** The minimum time between two reports of one attempt, in milliseconds, because each report is written to a file. */
const EVERY_MS = 250;

/**
 * Counts the output of an attempt while it streams, so that its cost is known if the process dies. Reports the first
 * output at once.
 */
export function outputProgress(now: () => number, report: (outputTokens: number) => void) {
  let seen = '';
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    add: (text: string): void => {
      if (text === '') return;
      seen += text;
      const at = now();
      if (at - reportedAt < EVERY_MS) return;
      reportedAt = at;
      report(estimateTokens(seen));
    },
  };
}
