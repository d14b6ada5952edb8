import type { HeaderEntry, JournalEntry } from '#protocol/journal.ts';

/** What a run follows now: it began with one manifest, and may have gone over to another one since. */
export function inForce(
  header: HeaderEntry,
  entries: readonly JournalEntry[],
): Pick<HeaderEntry, 'manifest' | 'started'> {
  const last = entries.findLast((entry) => entry.type === 'manifest');
  if (last?.type !== 'manifest') return header;
  return { manifest: last.manifest, started: { ...header.started, scripts: last.scripts } };
}
