import type { Ended, Refused } from '#actors/session/index.ts';
import { commitWork } from '#io/dispositions/commit-work.ts';
import { pullRequestPage } from '#io/dispositions/pull-request-page.ts';
import { pushBranch } from '#io/dispositions/push-branch.ts';
import type { Session } from '#protocol/session.ts';
import { repositoryOf } from './merge-work.ts';
import type { SerialPlaceParts } from './session-place.ts';

/** The session's work on the remote, and the page that opens a pull request of it. */
export async function pushWork(session: Session, parts: SerialPlaceParts): Promise<Ended | Refused> {
  const { git, serialise } = parts;
  const { worktree, branch, baseBranch: base, title } = session;
  const found = await repositoryOf(session, parts);
  if (!found.ok) return found;
  if (worktree !== null) {
    const work = await commitWork(git, worktree, branch, title, true);
    if (work.kind === 'refused') return { ok: false, why: work.message, files: work.files };
  }
  const pushed = await pushBranch(git, { repository: found.place, branch, base, serialise });
  if (pushed.kind === 'refused') return { ok: false, why: pushed.message, files: pushed.files };
  const page = pullRequestPage(pushed.remoteUrl, branch, base);
  const opens = page === null ? [] : [`open a pull request: ${page.url}`];
  return { ok: true, notes: [`${branch} is at ${pushed.commit.slice(0, 10)} there`, ...opens] };
}
