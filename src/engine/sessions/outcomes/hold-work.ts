import type { SessionRefusal } from '#actors/session/index.ts';
import { commitWork } from '#io/git/outcomes/commit-work.ts';
import { holdSession } from '#io/git/outcomes/hold-session.ts';
import { removeWorktree } from '#io/git/worktrees/remove-worktree.ts';
import type { Session } from '#protocol/session.ts';
import type { HoldChoices } from '#protocol/session-api.ts';
import { sealerOf } from './held-origin.ts';
import { heldText } from './held-state.ts';
import { blockingIgnoredPatterns } from '../creation/blocking-ignored-patterns.ts';
import { keptInPlace, repositoryOf } from './merge-work.ts';
import { tearDown } from '../creation/tear-down.ts';
import { type SerialPlaceParts, whyNoFolder } from '../model/session-place.ts';

export type HeldWork =
  { readonly ok: true; readonly worktree: string | null; readonly notes: readonly string[] } | SessionRefusal;

/**
 * Commits the state of the run to the branch. With `release`, the worktree is removed unless it holds work that exists
 * nowhere else.
 */
export async function holdWork(session: Session, { release }: HoldChoices, parts: SerialPlaceParts): Promise<HeldWork> {
  const { git, processes, now, calls, folder, serialise, hasKey = () => false } = parts;
  const { worktree, branch, baseBranch: base, title, isWorktreeKept } = session;
  const gone = whyNoFolder(session, parts);
  if (gone !== null) return gone;
  const found = await repositoryOf(parts);
  if (!found.ok) return found;
  if (release && worktree !== null && !isWorktreeKept) {
    // Uncommitted work is committed first, since it would be removed with the worktree.
    const work = await commitWork(git, { worktree, branch, base, message: title, hooks: false, hasKey });
    if (work.kind === 'refused') return { ok: false, why: work.message, files: work.files, code: work.why };
  }
  const held = await holdSession(git, {
    repository: found.place,
    branch,
    worktree,
    serialise,
    state: heldText(session, { calls, folder }, parts.root, await sealerOf(parts, `refs/heads/${branch}`)),
    message: `Hold: ${title}`,
  });
  if (held.kind === 'refused') return { ok: false, why: held.message, files: held.files };
  const notes = [`its state is on ${branch}, in .robo/session.json`];
  if (!release || worktree === null) return { ok: true, worktree, notes };
  if (isWorktreeKept) return { ok: true, worktree, notes: [...notes, keptInPlace(worktree)] };
  notes.push(...(await tearDown(session, found.main, parts)));
  const removed = await removeWorktree(git, processes, {
    repository: found.place,
    worktree,
    session: session.id,
    branch: null,
    base,
    now: now(),
    ignored: await blockingIgnoredPatterns(session.job, parts.root),
    deletesBranch: false,
    force: false,
  });
  if (removed.kind === 'removed')
    return { ok: true, worktree: null, notes: [...notes, ...removed.kept, ...removed.leftovers] };
  return {
    ok: true,
    worktree,
    notes: [...notes, `its worktree was kept: ${removed.message}; fix that, then hold it with --release again`],
  };
}
