import { isNeverIndexedPath } from '../index/ignore-rules.ts';
import { spawn } from 'node:child_process';
import { GIT_ENVIRONMENT, gitProgram, runGit } from '../index/run-git.ts';

/** Thrown if two commits can't be compared because git fails. */
export class ComparisonError extends Error {}

/** Runs git; a failure ends the comparison, because an empty answer would mean that a branch changed nothing. */
async function git(root: string, args: readonly string[]): Promise<string> {
  const output = await runGit(root, args);
  if (output === null) throw new ComparisonError(`git ${args[0] ?? ''} failed or took too long`);
  return output;
}

/** The change that a branch made to one file since the merge base. */
export interface FileChange {
  readonly status: 'added' | 'changed' | 'removed' | 'renamed';
  /** The path in the merge base; for an added file, the path in the branch. */
  readonly from: string;
  /** Path in the branch; equal to `from` unless the file was renamed. */
  readonly to: string;
}

/** Returns the full hash of a commit, or null if the given name identifies no commit. */
export async function findCommit(root: string, given: string): Promise<string | null> {
  if (given.startsWith('-')) return null;
  const found = await runGit(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${given}^{commit}`]);
  return found === null ? null : found.trim();
}

export const mergeBase = async (root: string, a: string, b: string): Promise<string | null> =>
  (await runGit(root, ['merge-base', a, b]))?.trim() ?? null;

export async function changedFiles(root: string, base: string, branch: string): Promise<readonly FileChange[]> {
  const output = await git(root, [
    'diff',
    '--name-status',
    '-z',
    '--find-renames',
    '--no-ext-diff',
    base,
    branch,
    '--',
  ]);
  const parts = output.split('\0').filter((part) => part !== '');
  const changes: FileChange[] = [];
  for (let at = 0; at < parts.length;) {
    const status = parts[at] ?? '';
    const from = parts[at + 1] ?? '';
    const isRename = status.startsWith('R');
    const to = isRename ? (parts[at + 2] ?? from) : from;
    at += isRename ? 3 : 2;
    const kind = status.startsWith('A')
      ? 'added'
      : status.startsWith('D')
        ? 'removed'
        : isRename
          ? 'renamed'
          : 'changed';
    changes.push({ status: kind, from, to });
  }
  return changes;
}

/** Lines that a branch replaced, removed or added at one place in a file. */
export interface Hunk {
  /** Path in the branch. */
  readonly file: string;
  /** Row of the first added line, counted from 0. */
  readonly row: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

interface OpenHunk {
  readonly file: string;
  readonly row: number;
  readonly removed: string[];
  readonly added: string[];
}

/** Returns the hunks of lines that a branch changed. */
export async function readHunks(root: string, base: string, branch: string): Promise<readonly Hunk[]> {
  const output = await git(root, [
    'diff',
    '--unified=0',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--find-renames',
    base,
    branch,
    '--',
  ]);
  const hunks: OpenHunk[] = [];
  let file = '';
  let left = 0;
  for (const line of output.split('\n')) {
    const last = hunks.at(-1);
    if (left > 0 && last !== undefined && /^[-+]/u.test(line)) {
      (line.startsWith('+') ? last.added : last.removed).push(line.slice(1));
      left -= 1;
      continue;
    }
    const path = /^\+\+\+ (?:b\/(.*)|"b\/(.*)")$/u.exec(line);
    if (path !== null) file = path[1] ?? path[2] ?? '';
    const head = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u.exec(line);
    if (head === null) continue;
    left = Number(head[1] ?? 1) + Number(head[3] ?? 1);
    hunks.push({ file, row: Number(head[2]) - 1, removed: [], added: [] });
  }
  return hunks.filter((hunk) => !isNeverIndexedPath(hunk.file));
}

/** Returns the rows (counted from 0) that a branch added, by the file's path in the branch. */
export function addedRows(hunks: readonly Hunk[]): ReadonlyMap<string, ReadonlySet<number>> {
  const rows = new Map<string, Set<number>>();
  for (const { file, row, added } of hunks) {
    const known = rows.get(file) ?? new Set<number>();
    for (let at = 0; at < added.length; at += 1) known.add(row + at);
    rows.set(file, known);
  }
  return rows;
}

/** Returns true if any file of a commit contains the text as a whole word. */
export const hasText = async (root: string, commit: string, text: string): Promise<boolean> =>
  (await runGit(root, ['grep', '--quiet', '--word-regexp', '--fixed-strings', '-e', text, commit, '--'])) !== null;

export async function listCommit(root: string, commit: string): Promise<readonly string[]> {
  const output = await git(root, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit]);
  return output.split('\0').filter((path) => path !== '');
}

const MAX_BYTES = 1_048_576;

/** Reads files of a commit with one git process. Missing files and those over 1 MiB are left out of the result. */
export function readCommitFiles(
  root: string,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = paths.filter((path) => !path.includes('\n') && !isNeverIndexedPath(path));
  const program = gitProgram();
  if (program === null) return Promise.reject(new ComparisonError('git was not found'));
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['cat-file', '--batch'], {
      cwd: root,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, ...GIT_ENVIRONMENT },
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(splitBatch(Buffer.concat(chunks), wanted));
      else reject(new ComparisonError('git cat-file failed'));
    });
    child.stdin.on('error', reject);
    child.stdin.end(wanted.map((path) => `${commit}:${path}\n`).join(''));
  });
}

function splitBatch(output: Buffer, paths: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  let at = 0;
  for (const path of paths) {
    const end = output.indexOf(10, at);
    if (end < 0) break;
    const head = output.toString('utf8', at, end);
    at = end + 1;
    const size = / blob (\d+)$/u.exec(head)?.[1];
    if (size === undefined) continue;
    const length = Number(size);
    const bytes = output.subarray(at, at + length);
    if (length <= MAX_BYTES && !bytes.subarray(0, 8_192).includes(0)) texts.set(path, bytes.toString('utf8'));
    at += length + 1;
  }
  return texts;
}
