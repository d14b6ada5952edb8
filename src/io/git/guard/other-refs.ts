import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Trespass } from '#protocol/agent.ts';
import type { Git } from '../plumbing/git.ts';
import { MERGING, RESCUE, START } from '../plumbing/kept-refs.ts';
import { moveRef, quietly } from '../plumbing/quiet-git.ts';
import { readRefFiles } from '../plumbing/ref-files.ts';
import type { GuardedBranches, KeptRefs, RefWatch } from './ref-watch.ts';

const TAGS = 'refs/tags/';
/** Refs of the engine: snapshots of steps, and work that is kept after a session was discarded or restored. */
const OWN = 'refs/robosmith/';
/**
 * Prefix under which a stash entry is recorded, followed by the hash of its commit. The stash is one ref; its older
 * entries exist only in the ref's reflog.
 */
const STASHED = 'refs/stash@';

/**
 * Prefixes of refs that the engine reads to make decisions. A ref that a block adds there could change what a session
 * starts from, or which merges count as done.
 */
const DECIDING = [START, MERGING];

/** Maps the full name of each ref to its object id; a symbolic ref is mapped to an empty string. */
type OtherRefs = ReadonlyMap<string, string>;

/** Returns all tags and all refs of the engine; null if git fails. `common` is the shared git folder. */
export async function otherRefsIn(git: Git, root: string, common: string): Promise<OtherRefs | null> {
  const read = await readRefFiles(common, [TAGS, OWN]);
  if (read !== null) return read;
  const format = '--format=%(refname)%00%(objectname)%00%(symref)';
  const listed = await git(root, ['for-each-ref', format, TAGS, OWN]);
  if (!listed.ok) return null;
  const lines = listed.out.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [ref = '', object = '', symbolic = ''] = line.split('\0');
      return [ref, symbolic === '' ? object : ''];
    }),
  );
}

/** Returns the commits of the stash from its reflog; none if there is no stash. */
async function stashIn(common: string): Promise<readonly string[]> {
  const log = await readFile(path.join(common, 'logs', 'refs', 'stash'), 'utf8').catch(() => '');
  return log.split('\n').flatMap((line) => /^[0-9a-f]+ ([0-9a-f]{40,64}) /.exec(line)?.[1] ?? []);
}

const isGuarded = (ref: string, guarded: GuardedBranches): boolean => ref.startsWith(TAGS) || guarded.keeps(ref);

/** Records tags, the engine's refs for this project's sessions, and the entries of the stash. */
export async function keepOtherRefs(
  git: Git,
  root: string,
  common: string,
  guarded: GuardedBranches,
): Promise<KeptRefs> {
  const all = (await otherRefsIn(git, root, common)) ?? [];
  const refs = [...all].filter(([ref, at]) => at !== '' && isGuarded(ref, guarded));
  const stash = (await stashIn(common)).map((commit) => [STASHED + commit, commit] as const);
  return new Map([...refs, ...stash]);
}

interface Restored {
  readonly trespasses: readonly Trespass[];
  /** Messages about stash entries that were removed. */
  readonly unclear: readonly string[];
}

async function restoreRef(
  { git, root, kept, guarded }: RefWatch,
  ref: string,
  now: string | undefined,
): Promise<Trespass> {
  const before = kept.get(ref);
  const args = before === undefined ? ['-d', ref] : ['-m', 'robosmith: put back', ref, before];
  const { ok } = await quietly(git, root, ['update-ref', '--no-deref', ...args]);
  // The move is recorded, so that other watches don't attribute it to their own blocks.
  if (ok) guarded.moved(ref);
  const what = before === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
  return { path: `.git/${ref}`, what, restored: ok };
}

/**
 * Creates a ref for each stash entry that was removed. All worktrees share the stash, so a block or a person in another
 * worktree may have removed the entry. Therefore the stash itself is not restored, and the block does not fail.
 */
async function rescueStash({ git, root, common, kept }: RefWatch): Promise<readonly string[]> {
  const before = [...kept].filter(([ref]) => ref.startsWith(STASHED));
  if (before.length === 0) return [];
  const now = new Set(await stashIn(common));
  const notes: string[] = [];
  for (const [, commit] of before.filter(([, one]) => !now.has(one))) {
    const ref = `${RESCUE}stash-${commit.slice(0, 12)}`;
    const { ok } = await moveRef(git, root, ref, commit, null, 'gone from the stash');
    const command = `git stash apply ${ok ? ref : commit}`;
    notes.push(`a stash entry was removed; \`${command}\` restores it`);
  }
  return notes;
}

/**
 * Restores tags and the engine's refs that a block has deleted or moved, and removes refs that the engine would act on.
 * New tags stay. `now` are the refs after the block. After a crash only deleted refs are restored.
 */
export async function endOtherRefs(watch: RefWatch, now: OtherRefs | null): Promise<Restored> {
  const { kept, guarded, excused } = watch;
  if (now === null) return { trespasses: [], unclear: [] };
  const isMoved = ([ref, before]: readonly [string, string]): boolean => {
    const at = now.get(ref);
    return at !== before && (at === undefined || excused !== null);
  };
  const moved = [...kept].filter((one) => isGuarded(one[0], guarded) && isMoved(one)).map(([ref]) => ref);
  const isNew = (ref: string): boolean => !kept.has(ref) && DECIDING.some((below) => ref.startsWith(below));
  const added = excused === null ? [] : [...now.keys()].filter((ref) => isNew(ref) && guarded.keeps(ref));
  const trespasses: Trespass[] = [];
  for (const ref of [...moved, ...added]) {
    if (excused?.has(ref) === true) continue;
    trespasses.push(await restoreRef(watch, ref, now.get(ref)));
  }
  return { trespasses, unclear: await rescueStash(watch) };
}
