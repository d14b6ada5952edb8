import type { Ended, Refused } from '#actors/session/index.ts';
import { commitWork } from '#io/git/outcomes/commit-work.ts';
import { concludeResolved } from '#io/git/outcomes/conclude-resolved.ts';
import { RESCUE } from '#io/git/plumbing/kept-refs.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import { abortUpdate, concludeUpdate, type Updated, updateFromBase } from '#io/git/outcomes/update-from-base.ts';
import type { Session } from '#protocol/session.ts';
import type { UpdateChoices } from '#protocol/session-api.ts';
import type { SerialPlaceParts } from '../model/session-place.ts';
import { whyNoFolder } from '../model/why-no-folder.ts';

const rescueOf = (session: Session, what: string, now: number): string =>
  `${RESCUE}${session.id}-${what}-${String(now)}`;

/** `inConflict`: files are left in the worktree to be resolved. */
export type UpdateEnd = Ended | (Refused & { readonly inConflict?: boolean });

function told(updated: Updated, session: Session): UpdateEnd {
  const { baseBranch: base, branch, id } = session;
  if (updated.kind === 'up_to_date') return { ok: true, notes: [`${branch} had all of ${base} already`] };
  if (updated.kind === 'updated') return { ok: true, notes: [`${branch} is at ${updated.commit.slice(0, 10)} now`] };
  if (updated.kind === 'refused')
    return { ok: false, why: updated.message, files: updated.files, inConflict: updated.why === 'conflict' };
  const guide = updated.conflicts.map(({ file, advice }) => `${file}: ${advice}`);
  return {
    ok: false,
    why:
      `${String(guide.length)} ${guide.length === 1 ? 'file is' : 'files are'} in conflict with ${base}. ` +
      `Resolve them in its worktree, or by a node of the manifest with --resolve <node>, then run robosmith sessions update ${id} again; --abort goes back`,
    files: guide,
    inConflict: true,
  };
}

/** A base that has moved on, into the session's branch; called again it concludes what was resolved. */
export async function updateWork(
  session: Session,
  { abort }: UpdateChoices,
  parts: SerialPlaceParts,
): Promise<UpdateEnd> {
  const { git, now } = parts;
  const { worktree, branch, baseBranch: base, resolving } = session;
  if (worktree === null) return { ok: false, why: 'it has no worktree: robosmith sessions resume makes it again' };
  const gone = whyNoFolder(session, parts);
  if (gone !== null) return gone;
  if (abort) {
    const aborted = await abortUpdate(git, worktree, rescueOf(session, 'abort', now()));
    if (aborted.kind === 'refused') return { ok: false, why: aborted.message, files: aborted.files };
    return { ok: true, notes: ['it is as before the update'] };
  }
  if ((await commitOf(git, worktree, 'MERGE_HEAD')) !== null) {
    const concluded = resolving === null ? concludeUpdate(git, worktree) : concludeResolved(git, worktree, resolving);
    return told(await concluded, session);
  }
  const work = await commitWork(git, worktree, branch, session.title, true);
  if (work.kind === 'refused') return { ok: false, why: work.message, files: work.files };
  return told(
    await updateFromBase(git, { worktree, branch, base, snapshotRef: rescueOf(session, 'update', now()) }),
    session,
  );
}
