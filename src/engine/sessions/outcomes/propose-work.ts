import { forgePlace } from '#io/forge/pull-request-page.ts';
import { putPullRequest } from '#io/git/outcomes/put-pull-request.ts';
import { sumCalls } from '#logic/calls/sum-calls.ts';
import { forgeProblem, type OpenedPullRequest, type ProposedPullRequest } from '#protocol/forge.ts';
import type { Session } from '#protocol/session.ts';
import { costText } from '#protocol/amount-text.ts';
import { spentIn } from '#protocol/call-record.ts';
import { paidCalls } from '../../ai/project-calls.ts';
import type { SerialPlaceParts } from '../model/session-place.ts';
import { commitLines, pushBranchOf, type PushedWork } from './push-work.ts';

/** Returns the number of the issue that a session works on: its title starts with `#<n> `. */
const issueOf = ({ title }: Pick<Session, 'title'>): number | null => {
  const [, digits] = /^#(\d{1,9}) /.exec(title) ?? [];
  return digits === undefined ? null : Number(digits);
};

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** Returns the number of changed files and lines, such as `2 files changed, 3 insertions(+)`; null if git fails. */
async function sizeLine(
  { baseBranch }: Session,
  { place, commit }: PushedWork,
  { git }: SerialPlaceParts,
): Promise<string | null> {
  const { ok, out } = await git(place, ['diff', '--shortstat', `refs/heads/${baseBranch}...${commit}`, '--']);
  return ok && out.trim() !== '' ? out.trim() : null;
}

/** Returns what the model calls of the session's runs cost; nothing if there were none. */
function costLines({ runs }: Session, root: string): readonly string[] {
  const own: ReadonlySet<string | null> = new Set(runs);
  const { all } = sumCalls(
    paidCalls(root).filter(({ run }) => own.has(run)),
    'run',
  );
  const { calls, unknown } = all;
  if (calls === 0) return [];
  const cost = costText(spentIn(all));
  const missing = unknown === 0 ? '' : `, without ${plural(unknown, 'call')} of unknown price`;
  return ['## Cost', `${plural(calls, 'model call')}: ${cost}${missing}`];
}

async function bodyOf(
  session: Session,
  order: ProposedPullRequest,
  pushed: PushedWork,
  parts: SerialPlaceParts,
): Promise<string> {
  const issue = issueOf(session);
  const commits = await commitLines(session, pushed, parts);
  const size = await sizeLine(session, pushed, parts);
  return [
    ...(order.text === null ? [] : [order.text]),
    ...(issue === null ? [] : [`Closes #${issue}`]),
    '## What changed',
    ...(commits.length === 0 ? [] : [commits.join('\n')]),
    ...(size === null ? [] : [size]),
    ...(order.checks.length === 0 ? [] : ['## Checks', order.checks.map((line) => `- ${line}`).join('\n')]),
    ...costLines(session, parts.root),
    `Robosmith-Session: ${session.id}`,
  ].join('\n\n');
}

/** Pushes a session's branch, and opens its pull request or updates the description of the open one. */
export async function proposeWork(
  session: Session,
  order: ProposedPullRequest,
  parts: SerialPlaceParts,
): Promise<OpenedPullRequest> {
  const { redact = (text: string): string => text, processes, git, root } = parts;
  const named = await git(root, ['remote', 'get-url', '--push', '--', 'origin']);
  if (!named.ok)
    return forgeProblem('no_remote', 'there is no remote origin here. Add it with `git remote add origin <address>`');
  const pushed = await pushBranchOf(session, parts);
  if (!pushed.ok) return { ok: false, code: 'not_pushed', message: [pushed.why, ...(pushed.files ?? [])].join('\n') };
  const { branch, baseBranch: base } = session;
  const put = await putPullRequest(processes, {
    folder: pushed.place,
    place: forgePlace(pushed.remoteUrl),
    branch,
    base,
    title: redact(order.title ?? session.title),
    body: redact(await bodyOf(session, order, pushed, parts)),
    isDraft: order.isDraft,
  });
  return put.ok ? { ...put, commit: pushed.commit } : put;
}
