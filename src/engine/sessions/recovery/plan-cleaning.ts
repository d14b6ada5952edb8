import { findWork } from '#io/git/worktrees/find-work.ts';
import { foldersInTrash } from '#io/git/worktrees/trash.ts';
import { worktreesFolder } from '#io/git/worktrees/worktree-place.ts';
import type { Removal } from '#io/git/worktrees/remove-worktree.ts';
import type { Finding } from '#machines/session/reconcile.ts';
import type { Session } from '#protocol/session.ts';
import { isOurLock } from '#protocol/worktree.ts';
import { type PlannedCleaning, planRecovery, staying } from './plan-recovery.ts';
import { blockingIgnoredPatterns } from '../creation/blocking-ignored-patterns.ts';
import type { OtherProjects } from './other-projects.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import type { SurveyedSessions } from './survey-sessions.ts';

type Surveyed = Extract<SurveyedSessions, { readonly ok: true }>;
type Parts = Pick<SessionPlaceParts, 'git' | 'processes' | 'root' | 'now'>;
type Of<Kind extends Finding['kind']> = Extract<Finding, { readonly kind: Kind }>;

const PREFIX = 'robosmith/';

/** Returns the session that a leftover folder belongs to, by path or branch. */
const ownerOf = ({ session, branch }: Of<'zombie'>, { survey: { sessions } }: Surveyed): Session | undefined =>
  sessions.find(({ id }) => id === session) ?? sessions.find((one) => branch !== null && one.branch === branch);

const mainBase = ({ survey: { listed } }: Surveyed): string => listed[0]?.branch ?? listed[0]?.head ?? 'HEAD';

/** Returns whether RoboSmith created the folder: other tools may keep worktrees there as well. */
function isOurs({ path, branch }: Of<'zombie'>, owner: Session | undefined, { survey: { listed } }: Surveyed) {
  if (isOurLock(listed.find((one) => one.path === path)?.locked ?? '')) return true;
  return owner === undefined ? branch?.startsWith(PREFIX) === true : !owner.isWorktreeKept;
}

/**
 * Returns whether a finding concerns a worktree or session of RoboSmith. Other findings are reported only on request.
 */
export const concernsUs = (finding: Finding, surveyed: Surveyed): boolean => {
  if (finding.kind !== 'zombie') return finding.kind !== 'ok';
  return finding.of === 'this' && isOurs(finding, ownerOf(finding, surveyed), surveyed);
};

/** Returns why a worktree without a session here may be in use by another project of the repository; null if it is not. */
function usedElsewhere(place: string, branch: string | null, { sessions, unread }: OtherProjects): string | null {
  const used = sessions.find(({ session }) => session.worktree === place || session.branch === branch);
  if (used !== undefined) return `it belongs to the session "${used.session.title}" of the project ${used.root}`;
  const [first] = unread;
  return first === undefined ? null : `it may belong to the project ${first}, whose sessions can't be read`;
}

/** Returns whether a finding is about a worktree of another project of the repository, which looks after it. */
export const isOfOtherProject = (finding: Finding, others: OtherProjects): boolean =>
  (finding.kind === 'zombie' || finding.kind === 'prunable') &&
  usedElsewhere(finding.path, finding.branch, { ...others, unread: [] }) !== null;

async function planZombie(
  finding: Of<'zombie'>,
  surveyed: Surveyed,
  others: OtherProjects,
  parts: Parts,
): Promise<PlannedCleaning> {
  const { path, of, isRegistered, branch } = finding;
  const stay = (message: string): PlannedCleaning => staying('worktree', path, message);
  if (of === 'other') return stay('it is a worktree of another repository');
  if (of === 'none') return stay('it is not a worktree: check its content, and remove it yourself');
  if (!isRegistered) return stay(`git does not know it here: \`git worktree repair "${path}"\` may repair that`);
  const owner = ownerOf(finding, surveyed);
  const elsewhere = owner === undefined ? usedElsewhere(path, branch, others) : null;
  if (elsewhere !== null) return stay(elsewhere);
  if (!isOurs(finding, owner, surveyed))
    return stay(`RoboSmith did not create it: \`git worktree remove "${path}"\` removes it if you do not need it`);
  const isOwn = branch !== null && (owner?.branch === branch ? !owner.isAttached : branch.startsWith(PREFIX));
  const removal: Removal = {
    repository: surveyed.place,
    worktree: path,
    session: owner?.id ?? null,
    branch: isOwn ? branch : null,
    base: owner?.baseBranch ?? mainBase(surveyed),
    now: parts.now(),
    ignored: await blockingIgnoredPatterns(owner?.job ?? null, parts.root),
    deletesBranch: isOwn,
    force: false,
  };
  const { found } = await findWork(parts.git, parts.processes, removal);
  if (found.length > 0) {
    const work = found.map(({ message }) => message).join('; ');
    const isLost = owner === undefined && branch !== null;
    return stay(isLost ? `${work}; robosmith sessions new <title> --attach ${branch} makes a session of it` : work);
  }
  const ended = owner === undefined ? 'it belongs to no session' : `its session "${owner.title}" is ${owner.state}`;
  const message = `${ended}, and it holds no work of its own${isOwn ? `; its branch "${branch}" is removed too` : ''}`;
  return { item: { what: 'worktree', name: path, message }, removal, kept: null };
}

/** Plans to remove the registration of a missing worktree. The commits that only it names are kept under a ref. */
function planPrunable(
  { path, branch, reason }: Of<'prunable'>,
  surveyed: Surveyed,
  others: OtherProjects,
  { now }: Parts,
): PlannedCleaning {
  const { place } = surveyed;
  const elsewhere = usedElsewhere(path, branch, { ...others, unread: [] });
  if (elsewhere !== null) return staying('registration', path, elsewhere);
  const kept = branch === null ? '' : `; the branch "${branch}" stays`;
  const message = `${reason}${kept}; if you have moved it, \`git worktree repair <its new place>\` first`;
  const removal: Removal = {
    repository: place,
    worktree: path,
    session: null,
    branch: null,
    base: mainBase(surveyed),
    ignored: [],
    now: now(),
    deletesBranch: false,
    force: false,
  };
  return { item: { what: 'registration', name: path, message }, removal, kept: null };
}

/** Null if there is no problem. */
async function planOne(
  finding: Finding,
  surveyed: Surveyed,
  others: OtherProjects,
  parts: Parts,
): Promise<PlannedCleaning | null> {
  if (finding.kind === 'ok') return null;
  if (finding.kind === 'zombie') return planZombie(finding, surveyed, others, parts);
  if (finding.kind === 'prunable') return planPrunable(finding, surveyed, others, parts);
  if (finding.kind !== 'ghost' || finding.next === 'recreate')
    return staying('session', finding.session, finding.message);
  return { item: { what: 'session', name: finding.session, message: finding.message }, removal: null, kept: null };
}

/** Plans what can be removed without loss, and what is kept and why. Removes nothing. */
export async function planCleaning(surveyed: Surveyed, others: OtherProjects, parts: Parts) {
  const planned: PlannedCleaning[] = [];
  for (const finding of surveyed.findings) {
    const plan = await planOne(finding, surveyed, others, parts);
    if (plan !== null) planned.push(plan);
  }
  for (const trash of await foldersInTrash(worktreesFolder(surveyed.place))) {
    const message = 'it is what is left of a removed worktree';
    planned.push({ item: { what: 'worktree', name: trash, message }, removal: null, kept: null, trash });
  }
  planned.push(...(await planRecovery(surveyed.place, { own: surveyed.survey.sessions, others }, parts)));
  return {
    steps: planned.flatMap((one) => ('item' in one ? [one] : [])),
    stays: planned.flatMap((one) => ('stays' in one ? [one.stays] : [])),
  };
}
