import type { Response } from '#protocol/response.ts';
import type { RunSummary } from '#protocol/run-summary.ts';

/** Keys whose values a crash may change: times, sequential ids, and the number of attempts. */
const VOLATILE: ReadonlySet<string> = new Set(['attempts', 'since', 'until', 'halt_id']);

const text = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => (VOLATILE.has(key) ? undefined : inner));

const without = (value: object, keys: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

/** Formats a Response without ids, times and attempt numbers, so that equal outcomes give equal texts. */
export function stableResponse({ data, metadata, ...rest }: Response): string {
  const facts = without(metadata, ['run_id', 'trace_id', 'duration_ms']);
  const payload = data.payload.map(({ type, content, source, meta }) => ({ type, content, source, meta }));
  return text({ ...rest, ...facts, payload, exports: data.exports }).replaceAll(metadata.run_id ?? 'no run', 'RUN');
}

/**
 * Formats a summary without the values that may differ after a crash. The directory depends on the test. With several
 * branches, `block` depends on timing, since recovery enters the interrupted block again.
 */
export function stableSummary(summary: RunSummary, forks: boolean): string {
  const volatile = ['run', 'trace', 'started_at', 'updated_at', 'openings', 'directory', ...(forks ? ['block'] : [])];
  return text(without(summary, volatile)).replaceAll(summary.run, 'RUN');
}
