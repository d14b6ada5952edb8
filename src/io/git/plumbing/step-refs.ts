import type { Git } from './git.ts';
import { moveRef } from './quiet-git.ts';
import { type Refusal, whyFailed } from './refusal.ts';

const STEPS = 'refs/robosmith/steps/';

export const stepRef = (run: string, number: number): string => `${STEPS}${run}/${String(number)}`;

interface StepRef {
  readonly ref: string;
  readonly run: string;
  readonly number: number;
  readonly commit: string;
}

async function stepRefs(git: Git, directory: string, below: string): Promise<readonly StepRef[] | Refusal> {
  const answer = await git(directory, ['for-each-ref', '--format=%(objectname) %(refname)', below]);
  if (!answer.ok) return whyFailed(answer, "can't list the snapshots of steps");
  return answer.out.split('\n').flatMap((line) => {
    const [commit = '', ref = ''] = line.split(' ');
    const [run, number] = ref.slice(STEPS.length).split('/');
    return ref.startsWith(STEPS) && run !== undefined && /^\d+$/.test(number ?? '')
      ? [{ ref, run, number: Number(number), commit }]
      : [];
  });
}

/** Returns the newest snapshot of a run's steps; number 0 and a null commit if there is none. */
export async function newestStep(
  git: Git,
  directory: string,
  run: string,
): Promise<{ readonly number: number; readonly commit: string | null } | Refusal> {
  const refs = await stepRefs(git, directory, `${STEPS}${run}/`);
  if ('kind' in refs) return refs;
  const [newest] = refs.toSorted((a, b) => b.number - a.number);
  return newest ?? { number: 0, commit: null };
}

/**
 * Deletes the snapshot refs of runs for which `isGone` returns true. The result maps each run with a ref that could not
 * be deleted to the reason.
 */
export async function removeStepRefs(
  git: Git,
  directory: string,
  isGone: (run: string) => boolean,
): Promise<ReadonlyMap<string, Refusal> | Refusal> {
  const refs = await stepRefs(git, directory, STEPS);
  if ('kind' in refs) return refs;
  const stay = new Map<string, Refusal>();
  for (const { ref, run, commit } of refs.filter((one) => isGone(one.run))) {
    const moved = await moveRef(git, directory, ref, null, commit, 'pruned');
    if (!moved.ok) stay.set(run, await whyFailed(moved, `can't delete ${ref}`));
  }
  return stay;
}
