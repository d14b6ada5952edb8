import type { Git } from '../plumbing/git.ts';
import { commitOf, lineOf } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, tail, whyFailed } from '../plumbing/refusal.ts';
import { atOnce, type Serialise } from '../../files/serialise.ts';
import { withoutState } from '../plumbing/without-state.ts';

export interface PushRequest {
  readonly repository: string;
  readonly branch: string;
  readonly remote?: string;
  /**
   * The base of a pull request; the state file of a held session is then left out. Null pushes the branch unchanged, to
   * continue the session on another machine.
   */
  readonly base: string | null;
  readonly timeoutMs?: number;
  readonly serialise?: Serialise;
}

type Pushed =
  | {
      readonly kind: 'pushed';
      /** The commit that the remote branch has now. */
      readonly commit: string;
      /** The URL of the remote as git uses it; it may contain a secret. */
      readonly remoteUrl: string;
    }
  | Refusal;

/** The timeout of a push in milliseconds, long enough for big repositories over slow connections. */
const PUSH_MS = 600_000;

async function whyNotPushed(code: number | null, out: string, err: string): Promise<Refusal> {
  const rejected = out.split('\n').find((line) => line.startsWith('!'));
  if (rejected !== undefined) {
    const isOld = /non-fast-forward|fetch first|stale info/.test(rejected);
    const next = isOld
      ? 'the branch has other commits on the remote. Fetch them first'
      : 'the remote rejected the push';
    return refused('rejected', `${next}\n${tail(`${rejected}\n${err}`)}`);
  }
  if (code !== null && /failed to push some refs/.test(err) && !/fatal:/.test(err))
    return refused('hook_refused', `the branch was not pushed: most likely the pre-push hook refused it\n${tail(err)}`);
  return whyFailed({ ok: false, code, out, err }, 'the branch was not pushed');
}

/**
 * Pushes a session's branch, never by force, like a person's own `git push`: the hook `pre-push` runs and may refuse.
 */
export async function pushBranch(git: Git, request: PushRequest): Promise<Pushed> {
  const { repository, branch, remote = 'origin', base, timeoutMs = PUSH_MS, serialise = atOnce } = request;
  const named = await git(repository, ['remote', 'get-url', '--push', '--', remote]);
  if (!named.ok)
    return refused(
      'no_remote',
      `there is no remote ${remote} here. Add it with \`git remote add ${remote} <address>\``,
    );
  const tip = await commitOf(git, repository, `refs/heads/${branch}`);
  if (tip === null) return refused('missing', `there is no branch ${branch} here`);
  const commit = base === null ? tip : await withoutState(git, repository, `refs/heads/${base}`, tip);
  if (typeof commit !== 'string') return commit;
  const args = ['push', '--porcelain', '--no-follow-tags', '--', remote, `${commit}:refs/heads/${branch}`];
  const pushed = await serialise(() => git(repository, args, { timeoutMs }));
  if (!pushed.ok) return whyNotPushed(pushed.code, pushed.out, pushed.err);
  return { kind: 'pushed', commit, remoteUrl: lineOf(named) };
}
