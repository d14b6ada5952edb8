import type { BlobRef, JournalEntry, LocalKey } from '#protocol/journal.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { Stepped } from '#protocol/run.ts';
import type { MemoryView } from '../../reference/run-outcome.ts';

/** An execution that a crash or a stop cut off, and that does not count. */
export const isCutOff = (stepped: Stepped | BlobRef): boolean =>
  'kind' in stepped &&
  (stepped.kind === 'again' ||
    (stepped.kind === 'wait' && (stepped.why === 'unsafe' || stepped.why === 'circuit_open')));

/** A visit, as journals name it. */
export const keyOf = ({
  frame,
  block,
  visit,
}: {
  readonly frame: string;
  readonly block: string;
  readonly visit: number;
}): LocalKey => `${frame === '/' ? '' : frame}/${block}#${visit}` as LocalKey;

/** Attempts that were cut off, by visit, as the journal tells them line by line. */
function* follow(entries: readonly JournalEntry[]) {
  const cuts = new Map<LocalKey, readonly number[]>();
  for (const entry of entries) {
    if (entry.type === 'result' && isCutOff(entry.stepped))
      cuts.set(entry.key, [...(cuts.get(entry.key) ?? []), entry.attempt]);
    yield { entry, cuts };
  }
}

/** The path of a journal as if no execution had been cut off. */
export function pathWithoutCuts(entries: readonly JournalEntry[]): readonly PathEntry[] {
  const path: PathEntry[] = [];
  for (const { entry, cuts } of follow(entries))
    if (entry.type === 'path')
      path.push({ ...entry.entry, attempts: entry.entry.attempts - (cuts.get(keyOf(entry.entry)) ?? []).length });
  return path;
}

/** The memories of executions that were not cut off, counted as if there had been no others. */
export function memoriesWithoutCuts(
  memories: Iterable<MemoryView>,
  entries: readonly JournalEntry[],
): readonly MemoryView[] {
  const cuts = [...follow(entries)].at(-1)?.cuts ?? new Map<LocalKey, readonly number[]>();
  return [...memories].flatMap((memory) => {
    const cut = cuts.get(keyOf(memory)) ?? [];
    if (cut.includes(memory.attempt)) return [];
    return [{ ...memory, attempt: memory.attempt - cut.filter((one) => one < memory.attempt).length }];
  });
}
