import type { ChangeCounts } from '#protocol/worktree.ts';
import type { Git, GitAnswer } from './git.ts';

export interface Status {
  readonly head: string | null;
  /** The branch that is checked out; null if HEAD is detached. */
  readonly branch: string | null;
  readonly staged: readonly string[];
  readonly unstaged: readonly string[];
  readonly untracked: readonly string[];
  readonly conflicted: readonly string[];
  /** The status records, one per changed file, as git prints them. */
  readonly records: readonly { readonly path: string; readonly text: string }[];
}

export type ReadStatus = Status | { readonly failed: GitAnswer };

/** The number of fields before the path in a status record, by the record's first character. */
const BEFORE_PATH: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 };

const ARGS = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--no-renames'];

/** Which changes of a submodule count: `within` includes its uncommitted changes, `commits` only a different commit. */
export type SubmoduleChanges = 'within' | 'commits';

const SUBMODULES: Readonly<Record<SubmoduleChanges, string>> = {
  within: '--ignore-submodules=none',
  commits: '--ignore-submodules=dirty',
};

/** Returns the arguments for git, of which none contains a character that is special to a shell. */
export const statusArguments = (submodules: SubmoduleChanges): readonly string[] => [...ARGS, SUBMODULES[submodules]];

function readHeader(text: string, name: string): string | null {
  const value = text.split('\0').find((line) => line.startsWith(`# branch.${name} `));
  return value?.slice(`# branch.${name} `.length) ?? null;
}

/** Parses the output of `git status` with the arguments of `statusArguments`. */
export function parseStatus(text: string): Status {
  const lists = {
    staged: [] as string[],
    unstaged: [] as string[],
    untracked: [] as string[],
    conflicted: [] as string[],
  };
  const records: { path: string; text: string }[] = [];
  for (const record of text.split('\0')) {
    const before = BEFORE_PATH[record.charAt(0)];
    if (before === undefined) continue;
    const path = record.split(' ').slice(before).join(' ');
    records.push({ path, text: record });
    if (record.startsWith('?')) lists.untracked.push(path);
    else if (record.startsWith('u')) lists.conflicted.push(path);
    else {
      if (record.charAt(2) !== '.') lists.staged.push(path);
      if (record.charAt(3) !== '.') lists.unstaged.push(path);
    }
  }
  const head = readHeader(text, 'oid');
  const branch = readHeader(text, 'head');
  return {
    head: head === '(initial)' ? null : head,
    branch: branch === '(detached)' ? null : branch,
    ...lists,
    records,
  };
}

/** Reads the changes of a worktree since its last commit. The user's settings for `git status` have no effect. */
export async function readStatus(
  git: Git,
  worktree: string,
  submodules: SubmoduleChanges = 'within',
): Promise<ReadStatus> {
  const answer = await git(worktree, statusArguments(submodules));
  return answer.ok ? parseStatus(answer.out) : { failed: answer };
}

export const countChanges = ({ staged, unstaged, untracked, conflicted }: Status): ChangeCounts => ({
  staged: staged.length,
  unstaged: unstaged.length,
  untracked: untracked.length,
  conflicted: conflicted.length,
});
