import { entriesInForce } from '#actors/journal/index.ts';
import type { BlockId, HaltId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { answerText, type HaltReason, type PathEntry } from '#protocol/response.ts';
import type { OpenHalt, RunSummary } from '#protocol/run-summary.ts';

/** A halt of a run that no longer waits for an answer. */
export interface ClosedHalt {
  readonly halt_id: HaltId;
  readonly block: BlockId;
  readonly why: HaltReason;
  /** The accepted answer; null if the halt ended with its branch, or was rolled back. */
  readonly answer: string | null;
  /** The number of entries of the run's path at that time. */
  readonly after: number;
}

/** Returns the halts of a run that are no longer open, in the order in which they began. */
export function closedHalts(
  entries: readonly JournalEntry[],
  { halts }: Pick<RunSummary, 'halts'>,
): readonly ClosedHalt[] {
  const open = new Set(halts.map(({ halt_id }) => halt_id));
  const inForce = new Set(entriesInForce(entries));
  const closed = new Map<HaltId, ClosedHalt>();
  let after = 0;
  for (const entry of entries) {
    if (entry.type === 'path' && inForce.has(entry)) after += 1;
    if (entry.type === 'halt' && !open.has(entry.halt))
      closed.set(entry.halt, { halt_id: entry.halt, block: entry.block, why: entry.why, answer: null, after });
    if (entry.type !== 'answer') continue;
    const halt = closed.get(entry.halt);
    if (halt !== undefined) closed.set(entry.halt, { ...halt, answer: answerText(entry.answer), after });
  }
  return [...closed.values()];
}

const named = ({ halt_id, block, why }: Pick<OpenHalt, 'halt_id' | 'block' | 'why'>): string =>
  `${halt_id} (${block}, ${why})`;

/** The number of visits that a message names. */
const MOST_VISITS = 4;

interface HaltHistory {
  readonly closed: readonly ClosedHalt[];
  readonly path: readonly PathEntry[];
  readonly summary: Pick<RunSummary, 'run' | 'halts' | 'status'>;
}

/** Returns what has happened to a halt that can't be answered any more, and which halts are open instead. */
export function closedHaltText(id: string, { closed, path, summary }: HaltHistory): string {
  const { run, halts, status } = summary;
  const halt = closed.find(({ halt_id }) => halt_id === id);
  const open =
    halts.length > 0
      ? `${halts.length === 1 ? 'Open halt' : 'Open halts'}: ${halts.map(named).join(', ')}.`
      : `The run is ${status}.`;
  if (halt === undefined) return `${run} has no halt "${id}". ${open}`;
  const { answer, after } = halt;
  const since = path.slice(after);
  const how = answer === null ? 'is over without an answer' : `was answered with "${answer}"`;
  const last = since.slice(-MOST_VISITS).map(({ block, signal }) => (signal === null ? block : `${block} ${signal}`));
  const cut = since.length > last.length ? '… ' : '';
  const visits = last.length === 0 ? 'no block has finished' : `finished: ${cut}${last.join(', ')}`;
  return `${named(halt)} of ${run} ${how}; since then ${visits}. ${open}`;
}
