import path from 'node:path';
import { dirtyFiles } from '#io/git/plumbing/changed-files.ts';
import { commitOf, lineOf } from '#io/git/plumbing/quiet-git.ts';
import { listWorktrees } from '#io/git/worktrees/list-worktrees.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { didYouMean } from '#protocol/nearest.ts';
import type { LandingOrder, NotTaken } from '#protocol/landing-report.ts';
import type { RunId } from '#protocol/id.ts';
import { hasEnded, type Session } from '#protocol/session.ts';
import type { ListedWorktree } from '#protocol/worktree.ts';
import { repositoryOf } from '../outcomes/merge-work.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

/** A session or branch that was named, or that `--all` has found. */
export interface Candidate {
  readonly name: string;
  readonly session: Session | null;
  readonly branch: string;
  /** Its worktree if no session owns it. */
  readonly worktree: string | null;
}

export interface FoundCars {
  /** The repository, and the main checkout that commands see. */
  readonly place: string;
  readonly main: string;
  readonly base: string;
  readonly candidates: readonly Candidate[];
  readonly left: readonly NotTaken[];
}

interface FindParts {
  readonly place: SessionPlaceParts;
  readonly sessions: readonly Session[];
  readonly openRun: (session: Session) => RunId | null;
}

const refused = (message: string, next: readonly string[] = []): RoboSmithError =>
  new RoboSmithError('refused', message, { next });

const usage = (message: string, next: readonly string[]): RoboSmithError =>
  new RoboSmithError('usage', message, { next });

/** Returns why a session can't be landed now; null if it can. A named one may be unfinished, as for a merge. */
function whyNotNow(session: Session, isNamed: boolean, openRun: FindParts['openRun']): string | null {
  const { state, base } = session;
  const mayMerge = state === 'ready' || (isNamed && (state === 'halted' || state === 'failed') && base !== null);
  if (!mayMerge) return `it is ${state}`;
  const run = openRun(session);
  return run === null ? null : `its run ${run} can still be resumed`;
}

const ofSession = (session: Session): Candidate => ({
  name: session.title,
  session,
  branch: session.branch,
  worktree: null,
});

/** Gives every candidate a name of its own. */
function named(all: readonly Candidate[]): readonly Candidate[] {
  const count = (name: string): number => all.filter((one) => one.name === name).length;
  return all.map((one) => (count(one.name) === 1 ? one : { ...one, name: one.session?.id ?? one.branch }));
}

/** Returns the session with this id, title or branch, or with this unique prefix of its id. */
function sessionNamed(name: string, sessions: readonly Session[]): Session | null {
  const live = sessions.filter((one) => !hasEnded(one));
  const exact = live.filter(({ id, title, branch }) => id === name || title === name || branch === name);
  const found = exact.length > 0 || name.length < 2 ? exact : live.filter(({ id }) => id.startsWith(name));
  if (found.length < 2) return found[0] ?? null;
  const ids = found.map(({ id }) => id).join(', ');
  throw usage(`"${name}" matches ${String(found.length)} sessions (${ids}). Use the id.`, ['robosmith sessions']);
}

interface Names {
  readonly sessions: readonly Session[];
  readonly branches: ReadonlySet<string>;
  readonly worktrees: readonly ListedWorktree[];
}

function candidateNamed(name: string, { sessions, branches, worktrees }: Names): Candidate {
  const session = sessionNamed(name, sessions);
  if (session !== null) return ofSession(session);
  const worktree = worktrees.find(
    (one) => one.branch !== null && [one.branch, one.path, path.basename(one.path)].includes(name) && !one.isMain,
  );
  const branch = branches.has(name) ? name : (worktree?.branch ?? null);
  const owner = branch === null ? null : sessionNamed(branch, sessions);
  if (owner !== null) return ofSession(owner);
  if (branch !== null) return { name: branch, session: null, branch, worktree: worktree?.path ?? null };
  const ended = sessions.find((one) => hasEnded(one) && [one.id, one.title, one.branch].includes(name));
  if (ended !== undefined)
    throw usage(`"${ended.title}" (${ended.id}) is ${ended.state}, so it has nothing to land.`, [
      `robosmith sessions show ${ended.id}`,
    ]);
  const live = sessions.filter((one) => !hasEnded(one));
  const near = didYouMean(name, [...live.flatMap(({ id, title }) => [id, title]), ...branches]);
  throw usage(`There is no session, branch or worktree "${name}" here.${near}`, ['robosmith land --plan --all']);
}

/** Orders sessions by priority, then by age; other branches follow. */
const byPriority = (one: Candidate, other: Candidate): number => {
  const [a, b] = [one.session, other.session];
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return (a.priority ?? Infinity) - (b.priority ?? Infinity) || a.createdAt - b.createdAt;
};

async function baseFor(
  candidates: readonly Candidate[],
  place: string,
  worktrees: readonly ListedWorktree[],
  { git }: SessionPlaceParts,
): Promise<string> {
  const session = candidates.find((one) => one.session !== null)?.session;
  if (session !== undefined && session !== null) return session.baseBranch;
  const main = worktrees.find(({ isMain, branch }) => isMain && branch !== null)?.branch;
  for (const name of [main, 'main', 'master'])
    if (name !== undefined && name !== null && (await commitOf(git, place, `refs/heads/${name}`)) !== null) return name;
  throw refused('There is no branch to land on: check out the base branch in the main folder.');
}

/** Returns why a branch without a session is not taken by `--all`; null if its work is committed. */
async function whyUnfinished({ worktree }: Candidate, { git }: SessionPlaceParts): Promise<string | null> {
  if (worktree === null) return null;
  const dirty = await dirtyFiles(git, worktree).catch(() => null);
  if (dirty?.kind !== 'dirty') return 'its worktree can not be read';
  const count = dirty.files.length;
  return count === 0 ? null : `${String(count)} ${count === 1 ? 'file is' : 'files are'} not committed`;
}

/** Finds what is to be landed, in order, and what does not take part. */
export async function findCars(
  { names, all }: Pick<LandingOrder, 'names' | 'all'>,
  { place: parts, sessions, openRun }: FindParts,
): Promise<FoundCars> {
  const { git } = parts;
  const found = await repositoryOf(parts);
  if (!found.ok) throw refused(found.why, ['robosmith doctor']);
  const { place, main } = found;
  const listed = await listWorktrees(git, place);
  if (listed.kind === 'refused') throw refused(listed.message, ['robosmith doctor']);
  const refs = await git(place, ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads']);
  const branches = new Set(refs.out.split('\n').filter((name) => name !== ''));
  const known = { sessions, branches, worktrees: listed.worktrees };
  const live = sessions.filter((one) => !hasEnded(one) && one.base !== null);
  const owned = new Set(sessions.map(({ branch }) => branch));
  const others = listed.worktrees
    .filter(({ isMain, branch, isThere }) => !isMain && isThere && branch !== null && !owned.has(branch))
    .map(({ branch, path: folder }): Candidate => ({
      name: branch ?? '',
      session: null,
      branch: branch ?? '',
      worktree: folder,
    }));
  const wanted = all ? [...live.map(ofSession), ...others].sort(byPriority) : [];
  const explicit = [...new Set(names)].map((name) => candidateNamed(name, known));
  const candidates = named([
    ...explicit,
    ...wanted.filter((one) => !explicit.some(({ branch }) => branch === one.branch)),
  ]);
  const base = await baseFor(candidates, place, listed.worktrees, parts);
  const taken: Candidate[] = [];
  const left: NotTaken[] = [];
  for (const one of candidates) {
    const isNamed = explicit.some(({ branch }) => branch === one.branch);
    if (one.branch === base) {
      if (isNamed)
        throw usage(`${base} is what the others land on; name the branches to land.`, ['robosmith land --help']);
      continue;
    }
    const why = await whyLeft(one, isNamed, base, place, { place: parts, openRun });
    if (why === null) taken.push(one);
    const stays = why === null && isNamed ? await whyUnfinished(one, parts) : why;
    if (stays !== null) left.push({ name: one.name, why: stays });
  }
  return { place, main, base, candidates: taken, left };
}

async function whyLeft(
  one: Candidate,
  isNamed: boolean,
  base: string,
  place: string,
  { place: parts, openRun }: Pick<FindParts, 'place' | 'openRun'>,
): Promise<string | null> {
  const { session, branch } = one;
  if (session !== null && session.baseBranch !== base)
    return `it is merged into ${session.baseBranch}, not into ${base}`;
  const notNow = session === null ? null : whyNotNow(session, isNamed, openRun);
  if (notNow !== null) return notNow;
  const unfinished = session !== null || isNamed ? null : await whyUnfinished(one, parts);
  if (unfinished !== null) return unfinished;
  const { git } = parts;
  const ahead = lineOf(await git(place, ['rev-list', '--count', `refs/heads/${base}..refs/heads/${branch}`, '--']));
  if (ahead !== '0') return null;
  const worktree = session?.worktree ?? null;
  const dirty = worktree === null ? null : await dirtyFiles(git, worktree).catch(() => null);
  return dirty?.kind === 'dirty' && dirty.files.length > 0 ? null : `${base} already has all of its commits`;
}
