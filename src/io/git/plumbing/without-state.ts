import type { Git } from './git.ts';
import { lineOf, quietly } from './quiet-git.ts';
import { type Refusal, refused, whyFailed } from './refusal.ts';
import { STATE_FILE } from './state-file.ts';
import { blobAt, editTree } from './edit-tree.ts';

interface CommitData {
  readonly tree: string;
  readonly who: Readonly<Record<string, string>>;
  readonly message: string;
}

const FIELDS = '%T%x00%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%B';

async function read(git: Git, repository: string, commit: string): Promise<CommitData | Refusal> {
  const args = ['log', '-1', '--no-show-signature', '--encoding=UTF-8', '--date=raw', `--format=${FIELDS}`];
  const answer = await git(repository, [...args, commit, '--']);
  if (!answer.ok) return whyFailed(answer, "can't read the commits of the session");
  const [tree = '', name = '', email = '', date = '', byName = '', byEmail = '', byDate = '', message = ''] =
    answer.out.split('\0');
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date };
  const committer = { GIT_COMMITTER_NAME: byName, GIT_COMMITTER_EMAIL: byEmail, GIT_COMMITTER_DATE: byDate };
  return { tree, who: { ...author, ...committer }, message: message.replace(/\n$/, '') };
}

const treeOf = async (git: Git, repository: string, commit: string): Promise<string> =>
  lineOf(await git(repository, ['rev-parse', '--verify', `${commit}^{tree}`]));

/** Rewrites a commit without the state file. Returns its parent if the state file was its only change. */
async function rewrite(
  git: Git,
  repository: string,
  commit: string,
  parents: readonly string[],
  mapped: readonly string[],
): Promise<string | Refusal> {
  const [parent] = mapped;
  const original = await read(git, repository, commit);
  if ('kind' in original) return original;
  const has = await blobAt(git, repository, commit, STATE_FILE);
  const wanted = parent === undefined ? null : await blobAt(git, repository, parent, STATE_FILE);
  if (has === wanted && parents.every((one, index) => one === mapped[index])) return commit;
  const tree = has === wanted ? original.tree : await editTree(git, repository, commit, STATE_FILE, wanted);
  if (typeof tree !== 'string') return tree;
  if (parent !== undefined && mapped.length === 1 && has !== wanted && tree === (await treeOf(git, repository, parent)))
    return parent;
  const args = ['commit-tree', tree, ...mapped.flatMap((one) => ['-p', one])];
  const made = await quietly(git, repository, args, { input: original.message, env: original.who });
  return made.ok ? lineOf(made) : whyFailed(made, "can't remove the state of the held session from its commits");
}

/**
 * Returns a session's commits without the state file of held sessions, which must not reach the base. If no commit has
 * the file, that is `tip` itself. Otherwise the commits are rewritten with the same authors, dates and messages; the
 * branch doesn't move.
 */
export async function withoutState(git: Git, repository: string, base: string, tip: string): Promise<string | Refusal> {
  const range = `${base}..${tip}`;
  const touched = await git(repository, ['rev-list', '--full-history', '-1', range, '--', STATE_FILE]);
  if (!touched.ok) return whyFailed(touched, "can't read the commits of the session");
  if (touched.out === '') return tip;
  const listed = await git(repository, ['rev-list', '--reverse', '--topo-order', '--parents', range, '--']);
  if (!listed.ok) return whyFailed(listed, "can't read the commits of the session");
  const now = new Map<string, string>();
  for (const line of listed.out.trim().split('\n')) {
    const [commit = '', ...parents] = line.split(' ');
    const mapped = parents.map((one) => now.get(one) ?? one);
    const made = await rewrite(git, repository, commit, parents, mapped);
    if (typeof made !== 'string') return made;
    now.set(commit, made);
  }
  return now.get(tip) ?? refused('git_failed', `can't read all commits of ${range}`);
}
