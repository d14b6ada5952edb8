import type { Services } from '#protocol/services.ts';
import { FAILURE, NO_SIGNAL, SUCCESS, VALIDATION_FAIL } from '#protocol/signal.ts';
import type { WorkerResult } from '#protocol/worker.ts';
import { editFailure, editSuccess, makeEdits } from '../loom/make-edits.ts';
import { problem } from '../loom/problem.ts';
import { hasOperations, isEmptyList, readOperations } from '../loom/read-operations.ts';
import type { AnswerRules } from './read-answer.ts';

/** A signal that needs no edits: the answer may be about why there are none. */
const isOther = (signal: string): boolean => signal !== SUCCESS && signal !== NO_SIGNAL;

/** The answer as it was said, with what came of its edits behind it. */
const joined = ({ append = [], stats }: WorkerResult, made: WorkerResult): WorkerResult => ({
  signal: made.signal,
  append: [...append, ...(made.append ?? [])],
  stats: { ...stats, ...made.stats },
});

const notWhole = (why: string): WorkerResult =>
  editFailure([problem('no_operations', { number: null, path: null }, `${why}: answer with fewer or shorter edits`)]);

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
  /** As it was read. */
  readonly said: WorkerResult;
  /** Why it is not whole; null: it is. */
  readonly cutOff: string | null;
}

/**
 * Makes the edits in an answer of a worker in `loom` mode: all or none, with the access of the block (spec/workers.md "The Loom").
 * When they are made its own signal counts, else SUCCESS; when not, it is FAILURE, and behind the answer stands what the model can do about it.
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
