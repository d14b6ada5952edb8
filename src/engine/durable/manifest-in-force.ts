import type { HeaderEntry, JournalEntry } from '#protocol/journal.ts';

/** Returns the manifest that a run follows now, which may differ from the one that it started with. */
export function inForce(
  header: HeaderEntry,
  entries: readonly JournalEntry[],
): Pick<HeaderEntry, 'manifest' | 'started'> {
  const last = entries.findLast((entry) => entry.type === 'manifest');
  if (last?.type !== 'manifest') return header;
  return { manifest: last.manifest, started: { ...header.started, scripts: last.scripts } };
}
