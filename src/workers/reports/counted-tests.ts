import type { Report } from './finding.ts';

/** Returns the result of counted tests, such as `15 pass` or `1 of 14 fails: nobody loses a cent`; null without a count. */
export function countedTests({ counts, findings }: Report): string | null {
  if (counts === null) return null;
  const { passed, failed } = counts;
  if (failed === 0) return `${String(passed)} pass`;
  const name = findings.find((one) => one.severity === 'error' && one.name !== null)?.name ?? null;
  const which = name === null ? '' : `: ${name}`;
  return `${String(failed)} of ${String(passed + failed)} ${failed === 1 ? 'fails' : 'fail'}${which}`;
}
