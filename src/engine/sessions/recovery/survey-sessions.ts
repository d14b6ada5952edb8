import { scratchesFolder } from '#io/git/outcomes/temporary-worktree.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { realPath } from '#io/files/real-path.ts';
import { locateRepository } from '#io/git/worktrees/prepare-repository.ts';
import { surveyWorktrees } from '#io/git/worktrees/survey-worktrees.ts';
import { isInTrash } from '#io/git/worktrees/trash.ts';
import { worktreesFolder } from '#io/git/worktrees/worktree-place.ts';
import { type Finding, reconcile, type Survey } from '#machines/session/reconcile.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Session } from '#protocol/session.ts';

export type SurveyedSessions =
  | { readonly ok: true; readonly place: string; readonly survey: Survey; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly why: string };

/** Compares stored sessions with git and the file system. Changes nothing. */
export async function surveySessions(git: Git, root: string, sessions: readonly Session[]): Promise<SurveyedSessions> {
  try {
    const located = await locateRepository(git, root);
    if (located.kind === 'refused') return { ok: false, why: located.message };
    const { main, common } = located;
    const place = main ?? common;
    const more = sessions.flatMap(({ worktree }) => worktree ?? []);
    const surveyed = await surveyWorktrees(git, place, { common, folder: worktreesFolder(place), more });
    if (surveyed.kind === 'refused') return { ok: false, why: surveyed.message };
    const { listed, branches } = surveyed;
    // The temporary worktrees of merges belong to no session.
    const scratches = await realPath(scratchesFolder(place));
    const folders = surveyed.folders.filter((one) => one.path !== scratches && !isInTrash(one.path));
    const survey: Survey = { sessions, listed, folders, branches };
    return { ok: true, place, survey, findings: reconcile(survey) };
  } catch (thrown) {
    return { ok: false, why: messageOf(thrown) };
  }
}
