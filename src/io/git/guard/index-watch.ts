import { copyFile, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Trespass } from '#protocol/agent.ts';
import type { Git } from '../plumbing/git.ts';
import { lineOf, zeroSplit } from '../plumbing/quiet-git.ts';
import { placeOf } from './entries.ts';
import { copyIn, type Kept } from './snapshot.ts';

export interface IndexWatch {
  readonly git: Git;
  /** Git's folder of this worktree: it has `index`. */
  readonly kept: Kept;
  /** Of the watch: its copies. */
  readonly folder: string;
  readonly rescue: string;
  /** Absolute. */
  readonly worktree: string;
  readonly allowed: (name: string) => boolean;
}

/** One file in an index, with all its stages. */
interface Staged {
  /** As git prints them: `100644 <hash> <stage>`. */
  readonly stages: readonly string[];
  /** Of `git ls-files -v`: small letters are assumed unchanged, `S` is skipped. */
  readonly tag: string;
}

type Listing = ReadonlyMap<string, Staged>;

/** Null: git can't read it. */
async function listIndex({ git, worktree }: IndexWatch, index: string | null): Promise<Listing | null> {
  const env = index === null ? {} : { env: { GIT_INDEX_FILE: index } };
  const listed = await git(worktree, ['ls-files', '--stage', '-v', '-z'], env).catch(() => null);
  if (listed?.ok !== true) return null;
  const found = new Map<string, Staged>();
  for (const entry of zeroSplit(listed.out)) {
    const tab = entry.indexOf('\t');
    const name = entry.slice(tab + 1);
    const { stages = [] } = found.get(name) ?? {};
    found.set(name, { stages: [...stages, entry.slice(2, tab)], tag: entry.charAt(0) });
  }
  return found;
}

const isSame = (one: Staged | undefined, other: Staged | undefined): boolean =>
  one?.tag === other?.tag && one?.stages.join() === other?.stages.join();

/** The null object id, as long as the other ids of the repository. */
const nullId = ([first = '']: readonly string[]): string => '0'.repeat(first.split(' ')[1]?.length ?? 40);

/** Makes these entries of the index what they were. */
async function restoreEntries({ git, worktree }: IndexWatch, names: readonly string[], before: Listing) {
  // `--index-info` takes names from the top of the repository, which the worktree of a block may be a folder of.
  const prefix = lineOf(await git(worktree, ['rev-parse', '--show-prefix']));
  const known = [...before.values()].flatMap(({ stages }) => stages);
  const none = nullId(known);
  const lines = names.flatMap((name) => [
    `0 ${none}\t${prefix}${name}\0`,
    ...(before.get(name)?.stages ?? []).map((stage) => `${stage}\t${prefix}${name}\0`),
  ]);
  const put = await git(worktree, ['update-index', '-z', '--index-info'], { input: lines.join('') });
  if (!put.ok) return false;
  const flags = [
    ['--assume-unchanged', (tag: string) => tag !== tag.toUpperCase()],
    ['--skip-worktree', (tag: string) => tag.toUpperCase() === 'S'],
  ] as const;
  for (const [flag, has] of flags) {
    const flagged = names.filter((name) => has(before.get(name)?.tag ?? 'H'));
    if (flagged.length === 0) continue;
    const set = await git(worktree, ['update-index', flag, '-z', '--stdin'], { input: flagged.join('\0') });
    if (!set.ok) return false;
  }
  return true;
}

/** Puts back what a block staged, or took out of the index, outside of its access. Its own index goes to `rescue`. */
export async function endIndex(watch: IndexWatch): Promise<readonly Trespass[]> {
  const { kept, folder, rescue, allowed } = watch;
  const copy = kept.copies.get('index');
  const wasThere = copy !== undefined && (await stat(copyIn(folder, copy)).catch(() => null)) !== null;
  if (kept.entries.has('index') && !wasThere) return [{ path: '.git/index', what: 'staged', restored: false }];
  const before = copy === undefined ? new Map<string, Staged>() : await listIndex(watch, copyIn(folder, copy));
  const now = await listIndex(watch, null);
  if (before === null || now === null) return [{ path: '.git/index', what: 'staged', restored: false }];
  const names = [...new Set([...before.keys(), ...now.keys()])].sort();
  const outside = names.filter((name) => !allowed(name) && !isSame(before.get(name), now.get(name)));
  if (outside.length === 0) return [];
  await mkdir(rescue, { recursive: true });
  await copyFile(placeOf(kept.root, 'index'), path.join(rescue, 'index')).catch(() => undefined);
  const restored = await restoreEntries(watch, outside, before).catch(() => false);
  return outside.map((name) => ({ path: name, what: 'staged', restored }));
}
