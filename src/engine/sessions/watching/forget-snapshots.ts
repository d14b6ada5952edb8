import { listRunIds, type Place } from '#actors/journal/index.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { removeStepRefs } from '#io/git/plumbing/step-refs.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Session } from '#protocol/session.ts';

interface ForgetSnapshotsParts {
  readonly place: Place;
  readonly root: string;
  readonly git: Git;
  /** Null if the list can't be read, so that every run may have worked for a session. */
  readonly sessions: () => readonly Session[] | null;
  readonly warn: (message: string) => void;
}

/**
 * Removes the snapshots of runs that will be removed, and of runs that no longer exist. Of the latter, only those of
 * this project's sessions: another project of the same repository has its own. Returns the runs that must stay, because
 * their snapshots could not be removed.
 */
export async function forgetSnapshots(
  gone: readonly RunId[],
  { place, root, git, sessions, warn }: ForgetSnapshotsParts,
): Promise<readonly RunId[]> {
  const here = new Set<string>(listRunIds(place));
  const listed = sessions();
  const own = new Set<string>(listed?.flatMap(({ runs }) => runs));
  const lost = new Set([...own].filter((run) => !here.has(run)));
  const going = new Set<string>(gone);
  if (going.size === 0 && lost.size === 0) return [];
  // Only runs of sessions have snapshots. If the list of sessions can't be read, each run may be one of them.
  const mayHaveSome = gone.filter((run) => listed === null || own.has(run));
  const warnOf = (run: string, why: string): void =>
    warn(`${run} and the snapshots of its steps were not removed: ${why}`);
  const keepAll = (why: string): readonly RunId[] => {
    for (const run of mayHaveSome) warnOf(run, why);
    return mayHaveSome;
  };
  try {
    const stay = await removeStepRefs(git, root, (run) => going.has(run) || lost.has(run));
    if ('kind' in stay) return keepAll(stay.message);
    for (const [run, { message }] of stay) warnOf(run, message);
    return gone.filter((run) => stay.has(run));
  } catch (thrown) {
    return keepAll(messageOf(thrown));
  }
}
