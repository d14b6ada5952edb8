import type { FindEvidence, RunOptions } from '#protocol/run.ts';
import { evidenceWorker, type ScriptCounts, scriptedEvidence } from '#workers/index.ts';
import { EMPTY_SCRIPT, type ScriptReach } from './find-worker.ts';

/**
 * Finds the worker that checks evidence: always the engine's own worker, whatever the script, the registry or the block
 * specify.
 */
export const findRealEvidence: FindEvidence = ({ id, evidence }, piece) => {
  const found = evidence[piece];
  if (found === undefined) throw new RangeError(`${id} has no evidence ${piece}`);
  return evidenceWorker(found);
};

/**
 * Returns the function that finds the worker for evidence. If scripts answer for all blocks (`simulate`), they answer
 * for evidence as well.
 */
export function evidenceFinder(
  { script = EMPTY_SCRIPT, evidence = findRealEvidence }: Pick<RunOptions, 'script' | 'evidence'>,
  reach: ScriptReach,
  counts: ScriptCounts,
): FindEvidence {
  return reach === 'all' ? ({ worker }, piece) => scriptedEvidence(script, counts, worker, piece) : evidence;
}
