import type { OperationDone, SessionRefusal } from '#actors/session/index.ts';
import { commitWork } from '#io/git/outcomes/commit-work.ts';
import { concludeResolved } from '#io/git/outcomes/conclude-resolved.ts';
import { RESCUE } from '#io/git/plumbing/kept-refs.ts';
import { markedBy, openUpdateIn } from '#io/git/outcomes/open-update.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { abortUpdate, concludeUpdate, type BaseUpdate, updateFromBase } from '#io/git/outcomes/update-from-base.ts';
import type { OpenUpdate, Session } from '#protocol/session.ts';
import type { UpdateChoices } from '#protocol/session-api.ts';
import { type SerialPlaceParts, whyNoFolder } from '../model/session-place.ts';

const rescueOf = (session: Session, what: string, now: number): string =>
  `${RESCUE}${session.id}-${what}-${String(now)}`;

/** The result of an update. `inConflict`: the worktree has conflicts to resolve, listed in `open`. */
export type UpdateEnd =
  OperationDone | (SessionRefusal & { readonly inConflict?: boolean; readonly open?: OpenUpdate });

function toUpdateEnd(updated: BaseUpdate, session: Session): UpdateEnd {
  const { baseBranch: base, branch, id } = session;
  if (updated.kind === 'up_to_date') return { ok: true, notes: [`${branch} already has all commits of ${base}`] };
  if (updated.kind === 'updated') return { ok: true, notes: [`${branch} is at ${updated.commit.slice(0, 10)} now`] };
  if (updated.kind === 'refused')
    return { ok: false, why: updated.message, files: updated.files, inConflict: updated.why === 'conflict' };
  const guide = updated.conflicts.map(({ file, advice }) => `${file}: ${advice}`);
  return {
    ok: false,
    why:
      `${String(guide.length)} ${guide.length === 1 ? 'file is' : 'files are'} in conflict with ${base}. ` +
      `Resolve them in the session's worktree, or by a node of the manifest with --resolve <node>, then run robosmith sessions update ${id} again; --abort undoes the update`,
    files: guide,
    inConflict: true,
  };
}

const markersText = (files: readonly string[]): string =>
  files.map((file) => `${file}: it was committed with conflict markers`).join('\n');

/** Concludes an update whose merge was committed in the worktree; null if the branch does not contain it. */
async function concludeCommitted({ worktree, update, branch }: Session, git: Git): Promise<UpdateEnd | null> {
  const head = worktree === null ? null : await commitOf(git, worktree, 'HEAD');
  if (worktree === null || update === null || head === null) return null;
  if (!(await git(worktree, ['merge-base', '--is-ancestor', update.base, head])).ok) return null;
  const marked = await markedBy(git, worktree, update, head);
  if (marked.length === 0) return { ok: true, notes: [`${branch} is at ${head.slice(0, 10)} now`] };
  return {
    ok: false,
    why: `resolve these conflicts, and commit the files:\n${markersText(marked)}`,
    files: marked,
    inConflict: true,
    open: update,
  };
}

async function abortWork(session: Session, worktree: string, { git, now }: SerialPlaceParts): Promise<UpdateEnd> {
  const { update } = session;
  const head = await commitOf(git, worktree, 'HEAD');
  const has = async ({ base }: OpenUpdate): Promise<boolean> =>
    head !== null && (await git(worktree, ['merge-base', '--is-ancestor', base, head])).ok;
  const before = update !== null && (await has(update)) ? update.before : null;
  const aborted = await abortUpdate(git, worktree, rescueOf(session, 'abort', now()), before);
  if (aborted.kind === 'refused') return { ok: false, why: aborted.message, files: aborted.files };
  return { ok: true, notes: ['the worktree is as before the update'] };
}

/** Adds the open update as recorded by git in the worktree. */
async function withOpen(end: UpdateEnd, { update }: Session, worktree: string, git: Git): Promise<UpdateEnd> {
  if (end.ok || end.inConflict !== true || end.open !== undefined) return end;
  const open = await openUpdateIn(git, worktree, update);
  return open === null || 'kind' in open ? end : { ...end, open };
}

/** Merges a changed base into the session's branch. Called again, it concludes a resolved update. */
export async function updateWork(
  session: Session,
  { abort }: UpdateChoices,
  parts: SerialPlaceParts,
): Promise<UpdateEnd> {
  const { git, now, hasKey = () => false } = parts;
  const { worktree, branch, baseBranch: base, resolving } = session;
  if (worktree === null)
    return { ok: false, why: 'the session has no worktree; robosmith sessions resume creates it again' };
  const gone = whyNoFolder(session, parts);
  if (gone !== null) return gone;
  if (abort) return abortWork(session, worktree, parts);
  if ((await commitOf(git, worktree, 'MERGE_HEAD')) !== null) {
    const concluded = resolving === null ? concludeUpdate(git, worktree) : concludeResolved(git, worktree, resolving);
    return withOpen(toUpdateEnd(await concluded, session), session, worktree, git);
  }
  const committed = await concludeCommitted(session, git);
  if (committed !== null) return committed;
  const work = await commitWork(git, { worktree, branch, base, message: session.title, hooks: true, hasKey });
  if (work.kind === 'refused') return { ok: false, why: work.message, files: work.files, code: work.why };
  const request = { worktree, branch, base, snapshotRef: rescueOf(session, 'update', now()) };
  return withOpen(toUpdateEnd(await updateFromBase(git, request), session), session, worktree, git);
}
