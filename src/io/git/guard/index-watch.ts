import { copyFile, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Trespass } from '#protocol/agent.ts';
import type { Git } from '../plumbing/git.ts';
import { lineOf, zeroSplit } from '../plumbing/quiet-git.ts';
import { placeOf } from './entries.ts';
import { copyIn, type FolderSnapshot } from './snapshot.ts';

interface IndexWatch {
  readonly git: Git;
  /** The recorded git folder of this worktree, which has the file `index`. */
  readonly kept: FolderSnapshot;
  /** The folder of this watch, which holds the copies. */
  readonly folder: string;
  readonly rescue: string;
  /** The absolute path of the worktree. */
  readonly worktree: string;
  readonly allowed: (name: string) => boolean;
}

/** One file in an index, with all its stages. */
interface Staged {
  /** Mode, object id and stage of a file in the index, as git prints them: `100644 <hash> <stage>`. */
  readonly stages: readonly string[];
  /** The tag that `git ls-files -v` prints: lowercase means "assume unchanged", `S` means "skip worktree". */
  readonly tag: string;
}

type Listing = ReadonlyMap<string, Staged>;

/** Lists the entries of an index file, or of the worktree's own index for null. Returns null if git can't read it. */
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

/** Returns the null object id in the length of the repository's other ids (SHA-1 or SHA-256). */
const nullId = ([first = '']: readonly string[]): string => '0'.repeat(first.split(' ')[1]?.length ?? 40);

/** Resets these index entries to their former state; returns false if git fails. */
async function restoreEntries({ git, worktree }: IndexWatch, names: readonly string[], before: Listing) {
  // `--index-info` takes names relative to the top of the repository, and the block's folder may be below that.
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

/**
 * Restores those index entries outside of the block's access that the block staged or removed. The block's version of
 * the index is copied to `rescue`.
 */
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
