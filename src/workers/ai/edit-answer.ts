import type { Services } from '#protocol/services.ts';
import { FAILURE, NO_SIGNAL, SUCCESS, VALIDATION_FAIL } from '#protocol/signal.ts';
import type { WorkerResult } from '#protocol/worker.ts';
import { editFailure, editSuccess, makeEdits } from '../loom/make-edits.ts';
import { problem } from '../loom/problem.ts';
import { hasOperations, isEmptyList, readOperations } from '../loom/read-operations.ts';
import type { AnswerRules } from './read-answer.ts';

/**
 * Returns true for signals other than SUCCESS and NO_SIGNAL. An answer with such a signal may explain why it contains
 * no edits.
 */
const isOther = (signal: string): boolean => signal !== SUCCESS && signal !== NO_SIGNAL;

/**
 * Merges the result of an answer with the result of its edits. The segments of the edits come last, and the signal of
 * the edits is used.
 */
const joined = ({ append = [], stats }: WorkerResult, made: WorkerResult): WorkerResult => ({
  signal: made.signal,
  append: [...append, ...(made.append ?? [])],
  stats: { ...stats, ...made.stats },
});

const notWhole = (why: string): WorkerResult =>
  editFailure([problem('no_operations', { number: null, path: null }, `${why}. Answer with fewer or shorter edits`)]);

async function madeOf(
  text: string,
  edits: AnswerRules['edits'],
  { files, block, outbound = null }: Reach,
): Promise<WorkerResult> {
  if (isEmptyList(text)) return editSuccess([]);
  const parsed = readOperations(text);
  if (edits === 'apply' && files !== null) return makeEdits(parsed, files, block.access, outbound);
  return parsed.ok ? { signal: SUCCESS } : editFailure(parsed.problems);
}

type Reach = Pick<Services, 'files' | 'block' | 'outbound'>;

interface Answer {
  readonly text: string;
  /** The answer as `readAnswer` returned it, before its edits were applied. */
  readonly said: WorkerResult;
  /** Why the answer is incomplete, or null if it is complete. */
  readonly cutOff: string | null;
}

/**
 * Applies the edits in an answer of a worker in `loom` mode: all or none, within the block's access. On success the
 * signal is the answer's own signal, or SUCCESS if it has none. On failure the signal is FAILURE, and an additional
 * segment tells the model how to correct the edits.
 */
export async function editAnswer(
  { text, said, cutOff }: Answer,
  edits: AnswerRules['edits'],
  reach: Reach,
): Promise<WorkerResult> {
  const { signal } = said;
  if (signal === VALIDATION_FAIL || signal === FAILURE) return said;
  if (isOther(signal) && !hasOperations(text)) return said;
  if (cutOff !== null) return joined(said, notWhole(cutOff));
  const made = await madeOf(text, edits, reach);
  return joined(said, made.signal === SUCCESS && isOther(signal) ? { ...made, signal } : made);
}
