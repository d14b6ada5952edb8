import type { BlobRef, JournalEntry, LocalKey } from '#protocol/journal.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { StepResult } from '#protocol/run.ts';
import type { MemoryView } from '../../reference/run-outcome.ts';

/**
 * Returns whether a result in the journal marks an execution that a crash or a stop cut off. Such an execution doesn't
 * count.
 */
export const isCutOff = (stepped: StepResult | BlobRef): boolean =>
  'kind' in stepped &&
  (stepped.kind === 'again' ||
    (stepped.kind === 'wait' && (stepped.why === 'unsafe' || stepped.why === 'circuit_open')));

/** Returns the key of a visit as used in journals. */
export const keyOf = ({
  frame,
  block,
  visit,
}: {
  readonly frame: string;
  readonly block: string;
  readonly visit: number;
}): LocalKey => `${frame === '/' ? '' : frame}/${block}#${visit}` as LocalKey;

/** Yields each journal entry with the attempts, by visit, that had been cut off before the entry. */
function* follow(entries: readonly JournalEntry[]) {
  const cuts = new Map<LocalKey, readonly number[]>();
  for (const entry of entries) {
    if (entry.type === 'result' && isCutOff(entry.stepped))
      cuts.set(entry.key, [...(cuts.get(entry.key) ?? []), entry.attempt]);
    yield { entry, cuts };
  }
}

/** Returns the path of a journal with the attempt numbers that it would have without cut-off executions. */
export function pathWithoutCuts(entries: readonly JournalEntry[]): readonly PathEntry[] {
  const path: PathEntry[] = [];
  for (const { entry, cuts } of follow(entries))
    if (entry.type === 'path')
      path.push({ ...entry.entry, attempts: entry.entry.attempts - (cuts.get(keyOf(entry.entry)) ?? []).length });
  return path;
}

/**
 * Returns the memories of the executions that were not cut off. Their attempt numbers are those that they would have
 * without the cut-off executions.
 */
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
