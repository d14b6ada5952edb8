import { access, constants, stat } from 'node:fs/promises';
import type { Processes } from '#protocol/services.ts';
import { isOurLock, type ListedWorktree, type WorkFound } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import { findStashes, findSwitched, findUnmerged } from './find-commits.ts';
import { findFiles, foundWork } from './find-files.ts';
import { findLeftSubmoduleWork, findSubmoduleWork } from './find-submodule-work.ts';
import { ageText, howToAbort, locksIn, operationIn } from './git-state.ts';
import { lastLines } from './git-refusal.ts';
import { listWorktrees, mainCheckout } from './list-worktrees.ts';
import { processesIn } from './processes-in.ts';
import { worktreeFolders } from './worktree-folders.ts';

export interface WorkQuestion {
  /** The main worktree, or a bare repository; it isn't removed. */
  readonly repository: string;
  /** The absolute path with symbolic links resolved; the folder may be gone. */
  readonly worktree: string;
  /** The session's branch; null to ignore the branch. */
  readonly branch: string | null;
  /** The branch or commit that the session's branch should be merged into. */
  readonly base: string;
  /** Globs of ignored files to keep, in the syntax of `IgnoredQuestion`. */
  readonly ignored: readonly string[];
  /** The current time in milliseconds since the epoch. */
  readonly now: number;
}

interface Work {
  /** The work that would be lost by the removal; empty if there is none. */
  readonly found: readonly WorkFound[];
  /** False if this platform can't tell which processes work in the folder. */
  readonly areProcessesKnown: boolean;
}

async function condition(git: Git, { worktree, now }: WorkQuestion): Promise<readonly WorkFound[]> {
  const folders = await worktreeFolders(git, worktree);
  if (folders === null || folders.top !== worktree)
    return [
      foundWork(
        'unreadable',
        `Git does not recognise ${worktree} as a worktree: check its content before you remove it`,
        [],
      ),
    ];
  const found: WorkFound[] = [];
  const operation = await operationIn(folders.own);
  if (operation !== null)
    found.push(
      foundWork(
        'under_way',
        `A ${operation} is in progress: finish it, or abort it with \`${howToAbort(operation)}\``,
        [operation],
      ),
    );
  for (const { file, ageMs } of await locksIn(folders.own, now))
    found.push(
      foundWork(
        'locked_by_git',
        `The lock file ${file} is ${ageText(ageMs)} old: a git process is running, or was killed`,
        [file],
      ),
    );
  const isWritable = await access(worktree, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) found.push(foundWork('read_only', `${worktree} is read-only`, []));
  return found;
}

function locked(listed: ListedWorktree | undefined): readonly WorkFound[] {
  const lock = listed?.locked ?? null;
  if (lock === null || isOurLock(lock)) return [];
  const reason = lock === '' ? 'no reason given' : `"${lock}"`;
  return [foundWork('locked', `It is locked (${reason}); \`git worktree unlock\` unlocks it`, [lock])];
}

async function running(processes: Processes, worktree: string): Promise<readonly WorkFound[] | null> {
  const found = await processesIn(processes, worktree);
  if (found === null || found.length === 0) return found as null | readonly [];
  const items = found.map(({ pid, name }) => `${name} (${pid})`);
  return [foundWork('processes', `Processes use it: ${items.slice(0, 5).join(', ')}; end them first`, items)];
}

async function findInside(
  git: Git,
  { worktree, branch, ignored }: WorkQuestion,
  main: string | null,
): Promise<readonly WorkFound[]> {
  const files = await findFiles(git, worktree, { ignored, main });
  const switched = await findSwitched(git, worktree, branch);
  // Both functions read the index; if it is corrupt, only one of them needs to report it.
  if (files.some(({ kind }) => kind === 'unreadable')) return [...files, ...switched];
  return [...files, ...switched, ...(await findSubmoduleWork(git, worktree, { ignored, main }))];
}

async function find(git: Git, processes: Processes, question: WorkQuestion): Promise<Work> {
  const { repository, worktree, branch, base } = question;
  const ofBranch =
    branch === null
      ? []
      : [...(await findUnmerged(git, { repository, branch, base })), ...(await findStashes(git, repository, branch))];
  const listed = await listWorktrees(git, repository);
  const worktrees = listed.kind === 'listed' ? listed.worktrees : [];
  const lock = locked(worktrees.find(({ path }) => path === worktree));
  const there = await stat(worktree).catch(() => null);
  if (there === null) {
    const left = await findLeftSubmoduleWork(git, repository, worktree);
    return { found: [...left, ...ofBranch, ...lock], areProcessesKnown: true };
  }
  const state = await condition(git, question);
  const isReadable = !state.some(({ kind }) => kind === 'unreadable');
  const inside = isReadable ? await findInside(git, question, mainCheckout(worktrees)) : [];
  const busy = await running(processes, worktree);
  return { found: [...inside, ...ofBranch, ...state, ...lock, ...(busy ?? [])], areProcessesKnown: busy !== null };
}

/**
 * Finds everything that would be lost if a worktree and its branch were removed. Work that can't be inspected is listed
 * too.
 */
export async function findWork(git: Git, processes: Processes, question: WorkQuestion): Promise<Work> {
  const doubts: string[] = [];
  // Exit code 1 is git's answer "no". After any other failure the answer is unknown, and this is reported.
  const watched: Git = async (...call) => {
    const answer = await git(...call);
    if (!answer.ok && answer.code !== 1) doubts.push(`git ${call[1][0] ?? ''}: ${lastLines(answer)}`);
    return answer;
  };
  const { found, areProcessesKnown } = await find(watched, processes, question);
  if (doubts.length === 0 || found.some(({ kind }) => kind === 'unreadable')) return { found, areProcessesKnown };
  const doubt = foundWork(
    'unreadable',
    `Git could not inspect ${question.worktree} completely: ${doubts[0] ?? ''}`,
    doubts,
  );
  return { found: [...found, doubt], areProcessesKnown };
}
