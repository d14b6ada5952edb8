import type { FindEvidence, RunOptions } from '#protocol/run.ts';
import { evidenceWorker, type ScriptCounts, scriptedEvidence } from '#workers/index.ts';
import { EMPTY_SCRIPT, type ScriptReach } from './find-worker.ts';

/** Evidence as the engine itself looks at it: no script and no registry has a say, whatever a block's worker is. */
export const findRealEvidence: FindEvidence = ({ id, evidence }, piece) => {
  const found = evidence[piece];
  if (found === undefined) throw new RangeError(`${id} has no evidence ${piece}`);
  return evidenceWorker(found);
};

/** Where the script answers for all blocks nothing is real, and it answers for their evidence too (`simulate`). */
export function evidenceFinder(
  { script = EMPTY_SCRIPT, evidence = findRealEvidence }: Pick<RunOptions, 'script' | 'evidence'>,
  reach: ScriptReach,
  counts: ScriptCounts,
): FindEvidence {
  return reach === 'all' ? ({ worker }, piece) => scriptedEvidence(script, counts, worker, piece) : evidence;
}
