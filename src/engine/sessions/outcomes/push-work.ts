import type { OperationDone, SessionRefusal } from '#actors/session/index.ts';
import { commitWork } from '#io/git/outcomes/commit-work.ts';
import { openPullRequest } from '#io/git/outcomes/open-pull-request.ts';
import { forgePlace, pullRequestPage } from '#io/forge/pull-request-page.ts';
import { pushBranch } from '#io/git/outcomes/push-branch.ts';
import { commitSubjects } from '#io/git/plumbing/quiet-git.ts';
import type { Session } from '#protocol/session.ts';
import type { PushChoices } from '#protocol/session-api.ts';
import { repositoryOf } from './merge-work.ts';
import { type SerialPlaceParts, whyNoFolder } from '../model/session-place.ts';
import { unresolvedUpdate } from './unresolved-update.ts';

/** The maximum number of commits listed in a pull request; the forge shows all of them. */
const MOST_COMMITS = 50;

export interface PushedWork {
  readonly ok: true;
  /** The sessions' repository. */
  readonly place: string;
  readonly commit: string;
  readonly remoteUrl: string;
}

/** Returns the subjects of the pushed commits as a Markdown list, one line each. */
export async function commitLines(
  { baseBranch }: Session,
  { place, commit }: PushedWork,
  { git }: SerialPlaceParts,
): Promise<readonly string[]> {
  const range = { from: `refs/heads/${baseBranch}`, to: commit, most: MOST_COMMITS };
  const { subjects, isCut } = await commitSubjects(git, place, range);
  return [...(isCut ? ['- … and older ones'] : []), ...subjects.map((subject) => `- ${subject}`)];
}

/** Returns a description built from pushed commits only, so that it reveals nothing that is not public already. */
async function bodyOf(session: Session, pushed: PushedWork, parts: SerialPlaceParts): Promise<string> {
  const { title, id } = session;
  const commits = await commitLines(session, pushed, parts);
  return [title, ...(commits.length === 0 ? [] : [commits.join('\n')]), `Robosmith-Session: ${id}`].join('\n\n');
}

/** Returns messages with the URL of the pull request, or of the page that opens one. */
async function pullRequestNotes(
  session: Session,
  pushed: PushedWork,
  { pr }: PushChoices,
  parts: SerialPlaceParts,
): Promise<readonly string[]> {
  const { branch, baseBranch: base, title } = session;
  const page = pullRequestPage(pushed.remoteUrl, base, branch);
  const byHand = page === null ? [] : [`open a pull request: ${page.url}`];
  if (!pr) return byHand;
  const body = await bodyOf(session, pushed, parts);
  const request = await openPullRequest(parts.processes, {
    folder: pushed.place,
    place: forgePlace(pushed.remoteUrl),
    branch,
    base,
    title,
    body,
  });
  if (request.kind === 'not_opened') return [`no pull request was opened: ${request.why}`, ...byHand];
  return [request.isNew ? `its pull request is ${request.url}` : `its pull request is open already: ${request.url}`];
}

/** Commits the session's work and pushes its branch, unless something forbids that. Never by force. */
export async function pushBranchOf(session: Session, parts: SerialPlaceParts): Promise<PushedWork | SessionRefusal> {
  const { git, serialise, hasKey = () => false } = parts;
  const { worktree, branch, baseBranch: base, title } = session;
  const gone = whyNoFolder(session, parts);
  if (gone !== null) return gone;
  const found = await repositoryOf(parts);
  if (!found.ok) return found;
  const unresolved = await unresolvedUpdate(session, parts);
  if (unresolved !== null) return unresolved;
  if (worktree !== null) {
    const work = await commitWork(git, { worktree, branch, base, message: title, hooks: true, hasKey });
    if (work.kind === 'refused') return { ok: false, why: work.message, files: work.files, code: work.why };
  }
  const pushed = await pushBranch(git, { repository: found.place, branch, base, serialise });
  if (pushed.kind === 'refused') return { ok: false, why: pushed.message, files: pushed.files };
  return { ok: true, place: found.place, commit: pushed.commit, remoteUrl: pushed.remoteUrl };
}

/** Pushes the session's work, and opens its pull request or names the page that does. */
export async function pushWork(
  session: Session,
  choices: PushChoices,
  parts: SerialPlaceParts,
): Promise<OperationDone | SessionRefusal> {
  const pushed = await pushBranchOf(session, parts);
  if (!pushed.ok) return pushed;
  const notes = await pullRequestNotes(session, pushed, choices, parts);
  return { ok: true, notes: [`the remote branch ${session.branch} is at ${pushed.commit.slice(0, 10)}`, ...notes] };
}
