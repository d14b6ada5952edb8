import type { Response } from '#protocol/response.ts';
import type { RunSummary } from '#protocol/run-summary.ts';

/** What a crash may change: times, ids that are counted, and how often an execution was begun. */
const VOLATILE: ReadonlySet<string> = new Set(['attempts', 'since', 'until', 'halt_id']);

const text = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => (VOLATILE.has(key) ? undefined : inner));

const without = (value: object, keys: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

/** A Response as text, equal for equal outcomes: ids, times and attempt numbers aside. */
export function stableResponse({ data, metadata, ...rest }: Response): string {
  const facts = without(metadata, ['run_id', 'trace_id', 'duration_ms']);
  const payload = data.payload.map(({ type, content, source, meta }) => ({ type, content, source, meta }));
  return text({ ...rest, ...facts, payload, exports: data.exports }).replaceAll(metadata.run_id ?? 'no run', 'RUN');
}

/** Where it works is the harness's own affair. Which block of several branches was entered last is a matter of time: a crash enters the one that it cut off again. */
export function stableSummary(summary: RunSummary, forks: boolean): string {
  const volatile = ['run', 'trace', 'started_at', 'updated_at', 'openings', 'directory', ...(forks ? ['block'] : [])];
  return text(without(summary, volatile)).replaceAll(summary.run, 'RUN');
}
