import { unpackRun } from '#actors/journal/index.ts';
import { commitOf, moveRef } from '#io/git/plumbing/quiet-git.ts';
import { isSession, type SessionRefusal } from '#actors/session/index.ts';
import { worktreePlace } from '#io/git/worktrees/worktree-place.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { rememberWorktree } from '../../trust/attached-branch.ts';
import { isTitle, LONGEST_TITLE } from '../creation/make-session.ts';
import { withoutAnswers } from './held-origin.ts';
import { type HeldSession, jobHere } from './held-state.ts';
import { findHeld } from './inspect-held.ts';
import type { SerialPlaceParts } from '../model/session-place.ts';

const refused = (why: string): SessionRefusal => ({ ok: false, why });

/** Returns a local branch; for a remote branch, creates a local one with the same name. */
async function localBranch(branch: string, place: string, { git }: SerialPlaceParts): Promise<string | SessionRefusal> {
  if ((await commitOf(git, place, `refs/heads/${branch}`)) !== null) return branch;
  const commit = await commitOf(git, place, `refs/remotes/${branch}`);
  const name = branch.split('/').slice(1).join('/');
  if (commit === null || name === '') return refused(`there is no branch ${branch} here; fetch it first`);
  if ((await commitOf(git, place, `refs/heads/${name}`)) !== null)
    return refused(`the branch ${name} exists here already: use its name, or rename it`);
  const made = await moveRef(git, place, `refs/heads/${name}`, commit, null, 'taken up');
  return made.ok ? name : refused(`the branch ${name} was not created: ${made.err}`);
}

const sessionHere = (held: HeldSession, id: SessionId, branch: string, root: string, now: number): Session => ({
  id,
  branch,
  isAttached: false,
  worktree: null,
  isWorktreeKept: false,
  remarks: [],
  changed: [],
  ports: null,
  after: [],
  title: held.session.title,
  baseBranch: held.session.baseBranch,
  base: held.session.base,
  plan: held.session.plan,
  priority: held.session.priority,
  job: jobHere(held, root),
  runs: held.run === null ? [] : [held.run.run],
  isDone: held.session.isDone,
  resolving: null,
  state: 'held',
  before: 'held',
  why: null,
  unmerged: null,
  update: null,
  submission: null,
  createdAt: now,
  updatedAt: now,
});

/**
 * Adopts a session that another clone put on hold, with its run, from `.robo/session.json` on its branch. Answers and
 * evidence that only the other clone vouches for are left out.
 */
export async function adoptHeld(
  { branch, commit }: { readonly branch: string; readonly commit: string },
  parts: SerialPlaceParts,
  known: readonly Session[],
): Promise<{ readonly ok: true; readonly session: Session } | SessionRefusal> {
  const { root, calls, folder, newId, now, environment } = parts;
  const found = await findHeld(branch, parts);
  if ('ok' in found) return found;
  if (found.commit !== commit) return refused(`${branch} has changed since you were asked: type the command again`);
  const held = found.isOwn ? found.held : withoutAnswers(found.held);
  const { id, title } = held.session;
  if (!isSession(sessionHere(held, id, branch, root, now())))
    return refused(
      `.robo/session.json on ${branch} contains no valid session: it is damaged, or another version of RoboSmith wrote it`,
    );
  if (!isTitle(title))
    return refused(
      `the title in .robo/session.json on ${branch} is not one line of at most ${String(LONGEST_TITLE)} characters: ` +
        'change it where it was held, and hold it again',
    );
  if (known.some((one) => one.id === id))
    return refused(`session ${id} exists here already: robosmith sessions show ${id}`);
  const local = await localBranch(branch, found.place, parts);
  if (typeof local !== 'string') return local;
  const directory = worktreePlace(found.place, held.session.title, id);
  if (held.run !== null) unpackRun({ calls, folder }, held.run, directory, newId);
  await rememberWorktree(directory, root, environment, parts.warn);
  return { ok: true, session: sessionHere(held, id, local, root, now()) };
}
