import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, lstat, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '../../clock/identity.ts';
import { leftOutOf, writeTree } from '../plumbing/all-files.ts';
import type { Git } from '../plumbing/git.ts';
import { gitFoldersOf } from '../plumbing/git-folders.ts';
import { zeroSplit } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';
import { MAX_FILE_BYTES } from '../plumbing/snapshot.ts';
import { operationIn } from '../worktrees/git-state.ts';
import { withVariables } from './read-only-git.ts';
import type { TemporaryObjects } from './temporary-objects.ts';

/** The content of a worktree at one moment: its last commit and everything that is not committed. */
interface Work {
  readonly kind: 'work';
  /** A tree with tracked and untracked files, without ignored ones. */
  readonly tree: string;
  /** Files that go through a filter of the repository, which is not run, so that their content is unknown. */
  readonly filtered: readonly string[];
  /** Untracked files that are not part of the tree: too large, or in another repository. */
  readonly leftOut: readonly string[];
}

interface WorkOptions {
  readonly git: Git;
  readonly objects: TemporaryObjects;
  /** The names of the filters that the settings of the worktree have. */
  readonly filters: readonly string[];
}

/** The limit for untracked files of one worktree, in number and bytes. Beyond it they are left out. */
const MOST_UNTRACKED = 20_000;
const MOST_UNTRACKED_BYTES = 400_000_000;

interface Listed {
  readonly changed: Set<string>;
  readonly gone: Set<string>;
  readonly untracked: readonly string[];
  /** Tracked files whose changes a flag of the index hides: "assume unchanged", or "skip worktree" although present. */
  readonly assumed: readonly string[];
  readonly skipped: readonly string[];
  readonly isUnmerged: boolean;
}

/** Parses the output of `git ls-files -v -z -c -m -d -o`: a tag, a blank and a path; a path can have several tags. */
function readTags(text: string): Omit<Listed, 'skipped'> & { readonly skip: readonly string[] } {
  const [changed, gone] = [new Set<string>(), new Set<string>()];
  const [untracked, assumed, skip]: [string[], string[], string[]] = [[], [], []];
  let isUnmerged = false;
  for (const entry of zeroSplit(text)) {
    const [tag, name] = [entry.charAt(0), entry.slice(2)];
    if (tag === 'H') continue;
    if (tag === 'C') changed.add(name);
    else if (tag === 'R') gone.add(name);
    else if (tag === '?') untracked.push(name);
    else if (tag === 'M') isUnmerged = true;
    else if (tag === 'S' || tag === 's') skip.push(name);
    if (/^[a-z]/.test(tag)) assumed.push(name);
  }
  for (const name of gone) changed.delete(name);
  return { changed, gone, untracked, assumed, skip, isUnmerged };
}

const existsIn = async (worktree: string, name: string): Promise<boolean> =>
  (await lstat(path.join(worktree, name)).catch(() => null)) !== null;

async function listWork(git: Git, worktree: string): Promise<Listed | Refusal> {
  const listed = await git(worktree, ['ls-files', '-v', '-z', '-c', '-m', '-d', '-o', '--exclude-standard']);
  if (!listed.ok) return whyFailed(listed, "can't list the files");
  const { skip, ...tags } = readTags(listed.out);
  const skipped: string[] = [];
  for (const name of skip) if (await existsIn(worktree, name)) skipped.push(name);
  return { ...tags, skipped };
}

/** Splits untracked files into those that fit the limits and those that do not. */
async function withinLimits(worktree: string, untracked: readonly string[]) {
  const refusedNames = new Set((await leftOutOf(worktree, untracked, MAX_FILE_BYTES)).map((one) => one.path));
  const [taken, leftOut]: [string[], string[]] = [[], [...refusedNames]];
  let bytes = 0;
  for (const name of untracked) {
    if (refusedNames.has(name)) continue;
    bytes += (await lstat(path.join(worktree, name)).catch(() => null))?.size ?? 0;
    const fits = taken.length < MOST_UNTRACKED && bytes <= MOST_UNTRACKED_BYTES;
    (fits ? taken : leftOut).push(name);
  }
  return { taken, leftOut };
}

/** Returns the filter that each of these files goes through. Files without a filter are missing. */
async function filterOf(git: Git, worktree: string, names: readonly string[], known: readonly string[]) {
  const found = new Map<string, string>();
  if (known.length === 0 || names.length === 0) return found;
  const input = names.map((name) => `${name}\0`).join('');
  const { out } = await git(worktree, ['check-attr', '-z', '--stdin', 'filter'], { input });
  const parts = out.split('\0');
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [name = '', , value = ''] = parts.slice(at, at + 3);
    if (known.includes(value)) found.set(name, value);
  }
  return found;
}

/** Returns the pointer that Git LFS would store for a file; null if the file can't be read. */
async function lfsPointer(file: string): Promise<string | null> {
  const hash = createHash('sha256');
  let [size, head] = [0, ''];
  try {
    for await (const part of createReadStream(file) as AsyncIterable<Buffer>) {
      if (size === 0) head = part.subarray(0, 1_024).toString('utf8');
      hash.update(part);
      size += part.length;
    }
  } catch {
    return null;
  }
  // A file that was checked out without Git LFS is already a pointer.
  if (size < 1_024 && head.startsWith('version https://git-lfs.github.com/spec/')) return head;
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${hash.digest('hex')}\nsize ${size}\n`;
}

/** Stages files that Git LFS manages, as pointers. Returns those that could not be read. */
async function stagePointers(git: Git, worktree: string, names: readonly string[], objects: TemporaryObjects) {
  const [lines, unread]: [string[], string[]] = [[], []];
  for (const name of names) {
    const pointer = await lfsPointer(path.join(worktree, name));
    if (pointer === null) unread.push(name);
    else lines.push(`100644 ${await objects.blob(pointer)}\t${name}\0`);
  }
  if (lines.length > 0) await git(worktree, ['update-index', '-z', '--index-info'], { input: lines.join('') });
  return unread;
}

/** Options of `git update-index` that stage files in their current state, also where a folder became a file. */
const TAKE = ['--add', '--remove', '--replace', '--ignore-skip-worktree-entries'];

/** Stages everything that is not committed in the temporary index. */
async function stageWork(
  git: Git,
  worktree: string,
  listed: Listed,
  { objects, filters }: WorkOptions,
): Promise<Omit<Work, 'kind' | 'tree'> | Refusal> {
  const update = async (how: readonly string[], names: readonly string[]): Promise<Refusal | null> => {
    if (names.length === 0) return null;
    const done = await git(worktree, ['update-index', '-z', ...how, '--stdin'], {
      input: names.map((name) => `${name}\0`).join(''),
    });
    return done.ok ? null : whyFailed(done, "can't read the files");
  };
  const { taken, leftOut } = await withinLimits(worktree, listed.untracked);
  const names = [...listed.changed, ...listed.assumed, ...listed.skipped, ...taken];
  const filterBy = await filterOf(git, worktree, names, filters);
  const pointers = names.filter((name) => filterBy.get(name) === 'lfs');
  const plain = names.filter((name) => !filterBy.has(name));
  const filtered = names.filter((name) => filterBy.has(name) && filterBy.get(name) !== 'lfs');
  const failed =
    (await update(['--no-assume-unchanged'], listed.assumed)) ??
    (await update(['--no-skip-worktree'], listed.skipped)) ??
    (await update(['--force-remove'], [...listed.gone])) ??
    (await update(TAKE, plain));
  if (failed !== null) return failed;
  const unread = await stagePointers(git, worktree, pointers, objects);
  return { filtered: [...filtered, ...unread], leftOut };
}

/** Copies the index; returns false if there is none. The copy must not be newer, see racy-git in git's documentation. */
async function copyIndex(index: string, to: string): Promise<boolean> {
  const found = await stat(index).catch(() => null);
  if (found === null) return false;
  await copyFile(index, to);
  const time = Math.floor(found.mtimeMs / 1000);
  await utimes(to, time, time);
  return true;
}

const UNDER_WAY = (operation: string): Refusal => refused('merge_under_way', `in the middle of a ${operation}`);

/**
 * Reads the content of a worktree into a tree. Everything that git writes meanwhile is in the folder of `objects`. A
 * refusal's message is the end of a sentence that begins with the worktree's name.
 */
export async function readWork(worktree: string, head: string, options: WorkOptions): Promise<Work | Refusal> {
  const folders = await gitFoldersOf(worktree);
  if (folders === null) return refused('missing', 'its folder has no usable .git');
  const operation = await operationIn(folders.own);
  if (operation !== null && operation !== 'bisect') return UNDER_WAY(operation);
  const index = path.join(options.objects.folder, `index-${newId(6)}`);
  if (!(await copyIndex(path.join(folders.own, 'index'), index))) {
    // Nothing was checked out, as after `git worktree add --no-checkout`.
    return { kind: 'work', tree: `${head}^{tree}`, filtered: [], leftOut: [] };
  }
  const git = withVariables(options.git, { GIT_INDEX_FILE: index });
  const listed = await listWork(git, worktree);
  if ('kind' in listed) return listed;
  if (listed.isUnmerged) return refused('conflict', 'has files in conflict');
  const staged = await stageWork(git, worktree, listed, options);
  if ('kind' in staged) return staged;
  const tree = await writeTree((args, more) => git(worktree, args, more));
  return typeof tree === 'string' ? { kind: 'work', tree, ...staged } : tree;
}
