import { type KeptRef, listKept } from '#io/git/outcomes/prune-kept.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { DISCARDED, HEADS, RESCUE, START } from '#io/git/plumbing/kept-refs.ts';
import { lineOf } from '#io/git/plumbing/quiet-git.ts';
import type { Session } from '#protocol/session.ts';
import type { OtherProjects } from './other-projects.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import type { Removal } from '#io/git/worktrees/remove-worktree.ts';

/** Something that `worktrees clean` removes or keeps, and why. `name`: a path, a session's id or a ref. */
export interface CleaningItem {
  readonly what: 'worktree' | 'registration' | 'session' | 'recovery';
  readonly name: string;
  readonly message: string;
}

/** A step of cleaning. `removal` and `kept` are both null if the item is removed by other means. */
export interface CleaningStep {
  readonly item: CleaningItem;
  readonly removal: Removal | null;
  readonly kept: KeptRef | null;
  /** A folder of a removed worktree whose files are still to be deleted. */
  readonly trash?: string;
}

export type PlannedCleaning = CleaningStep | { readonly stays: CleaningItem };

export const staying = (what: CleaningItem['what'], name: string, message: string): PlannedCleaning => ({
  stays: { what, name, message },
});

const DAY = 24 * 60 * 60 * 1000;

/** How long discarded work, and work saved before it was overwritten, can be restored. */
const RECOVERY_MS = 30 * DAY;

const FULL_HASH = /\b([0-9a-f]{10})(?:[0-9a-f]{30}|[0-9a-f]{54})\b/;

const agoText = (at: number, now: number): string => {
  const days = Math.max(0, Math.floor((now - at) / DAY));
  if (days === 0) return 'today';
  return `${String(days)} ${days === 1 ? 'day' : 'days'} ago`;
};

const hasEnded = ({ state }: Session): boolean => state === 'merged' || state === 'discarded';

/**
 * Returns the command that restores what a ref keeps: the session, or the commits of a branch deleted after a merge.
 */
const bringsBack = (name: string, sessions: readonly Session[]): string =>
  sessions.some(({ id, state }) => id === name && state === 'discarded')
    ? `robosmith sessions restore ${name} restores it`
    : `\`git branch <name> ${DISCARDED}${name}~1\` restores its commits`;

/** Returns the session of a ref, which is named by the session's id or by a run's. */
function ownerOf({ ref }: KeptRef, sessions: readonly Session[]): Session | null {
  const name = ref.slice([START, HEADS, RESCUE].find((prefix) => ref.startsWith(prefix))?.length);
  const isOf = (id: string): boolean => name === id || name.startsWith(`${id}-`);
  return sessions.find(({ id, runs }) => isOf(id) || runs.some(isOf)) ?? null;
}

/**
 * Returns the branch of a fork without a session here, which may belong to another project of the repository or to a
 * lost list.
 */
async function branchOf({ ref }: KeptRef, place: string, git: Git): Promise<string | null> {
  const pattern = `refs/heads/robosmith/*${ref.slice(START.length + 1)}`;
  const answer = await git(place, ['for-each-ref', '--count=1', '--format=%(refname:lstrip=2)', pattern]);
  return answer.ok && answer.out !== '' ? lineOf(answer) : null;
}

function whoseText(owner: Session | null, branch: string | null, now: number): string {
  if (owner === null)
    return branch === null ? 'it belongs to no session' : `it belongs to no session, but its branch ${branch} exists`;
  const { title, state, updatedAt } = owner;
  return `its session "${title}" ${hasEnded(owner) ? `was ${state} ${agoText(updatedAt, now)}` : `is ${state}`}`;
}

function planDiscarded(kept: KeptRef, at: number, sessions: readonly Session[], now: number): PlannedCleaning {
  const { ref } = kept;
  const message = `discarded ${agoText(at, now)}`;
  if (now - at >= RECOVERY_MS) return { item: { what: 'recovery', name: ref, message }, removal: null, kept };
  return staying('recovery', ref, `${message}: ${bringsBack(ref.slice(DISCARDED.length), sessions)}`);
}

/**
 * Plans what happens to saved work. A session that has not ended may still need it; the saved work of an ended session
 * expires like the session's own work.
 */
function planSaved(
  kept: KeptRef,
  at: number,
  owner: Session | null,
  branch: string | null,
  now: number,
): PlannedCleaning {
  const { ref, subject } = kept;
  const what = ref.startsWith(START)
    ? `start files of a fork, saved ${agoText(at, now)}`
    : `saved ${agoText(at, now)}, ${subject.replace(FULL_HASH, '$1')}`;
  const message = `${what}; ${whoseText(owner, branch, now)}`;
  const isNeeded = owner === null ? branch !== null : !hasEnded(owner);
  if (!isNeeded && now - Math.max(at, owner?.updatedAt ?? at) >= RECOVERY_MS)
    return { item: { what: 'recovery', name: ref, message }, removal: null, kept };
  const shown = ref.startsWith(HEADS) ? `git log ${ref}` : `git diff ${ref}^1 ${ref}`;
  return staying('recovery', ref, `${message}: \`${shown}\` shows it`);
}

/** All sessions that may need saved work: this project's own, and those of other projects in the repository. */
export interface KnownSessions {
  readonly own: readonly Session[];
  readonly others: OtherProjects;
}

/** Null if there is no problem. */
export async function planKept(
  kept: KeptRef,
  place: string,
  { own, others }: KnownSessions,
  { git, now }: Pick<SessionPlaceParts, 'git' | 'now'>,
): Promise<PlannedCleaning | null> {
  const { ref, at } = kept;
  const isDiscarded = ref.startsWith(DISCARDED);
  if (at === null)
    return staying('recovery', ref, `it is not known when it was ${isDiscarded ? 'discarded' : 'saved'}`);
  if (isDiscarded) return planDiscarded(kept, at, own, now());
  const owner = ownerOf(kept, [...own, ...others.sessions.map(({ session }) => session)]);
  const [unread] = others.unread;
  if (owner === null && unread !== undefined)
    return staying('recovery', ref, `it may belong to the project ${unread}, whose sessions can't be read`);
  if (!ref.startsWith(START)) return planSaved(kept, at, owner, null, now());
  if (owner !== null && !hasEnded(owner)) return null;
  return planSaved(kept, at, owner, owner === null ? await branchOf(kept, place, git) : null, now());
}

/** Lists discarded and saved work that has expired, and work that can still be restored. */
export async function planRecovery(
  place: string,
  sessions: KnownSessions,
  parts: Pick<SessionPlaceParts, 'git' | 'now'>,
): Promise<readonly PlannedCleaning[]> {
  const refs = await listKept(parts.git, place, [DISCARDED, RESCUE, HEADS, START]);
  if ('kind' in refs) return [staying('recovery', DISCARDED, refs.message)];
  const planned: PlannedCleaning[] = [];
  for (const kept of refs) {
    const plan = await planKept(kept, place, sessions, parts);
    if (plan !== null) planned.push(plan);
  }
  return planned;
}
