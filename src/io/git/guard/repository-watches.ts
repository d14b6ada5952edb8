import { constants } from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Trespass } from '#protocol/agent.ts';
import type { Git } from '../plumbing/git.ts';
import type { GitFolders } from '../plumbing/git-folders.ts';
import { createSerialiser } from '../../files/serialise.ts';
import type { Key } from './entries.ts';
import { endGit, keepGit } from './git-watch.ts';
import { endOtherRefs, keepOtherRefs, otherRefsIn } from './other-refs.ts';
import { endRefs, type GuardedBranches, HEADS, keepRefs, type KeptRefs } from './ref-watch.ts';
import { endCheckouts, keepCheckouts, type KnownCheckouts } from './new-checkouts.ts';
import { type Copier, removeWatchFolder } from './copier.ts';
import { copyIn, type FolderSnapshot, readSnapshot, saveSnapshot, type Snapshot } from './snapshot.ts';

/** A watch of one agent's worktree that has not ended yet. */
export interface OpenWatch {
  /** The folder of this watch, which holds its snapshot and its copies. */
  readonly home: string;
  snapshot: Snapshot;
  /** Returns the branches that the engine itself may have moved. Null for a watch that was left behind by a crash. */
  readonly excused: (() => ReadonlySet<string>) | null;
  /** The worktrees and branches that were there; null after a crash, or outside of a repository. */
  readonly known: KnownCheckouts | null;
}

const lastCopy = ({ worktree, git, state }: Snapshot): number => {
  let last = 0;
  for (const kept of [worktree, git?.common, git?.own, state])
    for (const copy of kept?.copies.values() ?? []) last = Math.max(last, copy);
  return last;
};

/**
 * Returns `into`, a part of this watch's snapshot, with the given keys replaced by the entries and copies of another
 * watch (`from`, whose folder is `theirs`).
 */
async function take(
  { home, snapshot }: OpenWatch,
  into: FolderSnapshot,
  from: FolderSnapshot,
  theirs: string,
  keys: readonly Key[],
) {
  const [entries, copies] = [new Map(into.entries), new Map(into.copies)];
  let next = lastCopy(snapshot);
  for (const key of keys) {
    entries.delete(key);
    copies.delete(key);
    const [entry, copy] = [from.entries.get(key), from.copies.get(key)];
    if (entry !== undefined) entries.set(key, entry);
    if (copy === undefined) continue;
    next += 1;
    await copyFile(copyIn(theirs, copy), copyIn(home, next), constants.COPYFILE_FICLONE);
    copies.set(key, next);
  }
  return { ...into, entries, copies };
}

/** Returns a watch that a killed process has left behind; null if its snapshot can't be read. */
async function leftWatch(home: string): Promise<OpenWatch | null> {
  const snapshot = await readSnapshot(home).catch(() => null);
  return snapshot === null ? null : { home, snapshot, excused: null, known: null };
}

/** Makes another watch of the same repository adopt the given keys of the watch whose folder is `theirs`. */
async function updateWatch(
  other: OpenWatch,
  from: FolderSnapshot,
  theirs: string,
  keys: readonly Key[],
): Promise<void> {
  const { snapshot, home } = other;
  if (snapshot.git?.common.root !== from.root) return;
  const common = await take(other, snapshot.git.common, from, theirs, keys);
  other.snapshot = { ...snapshot, git: { ...snapshot.git, common } };
  await saveSnapshot(home, other.snapshot);
}

interface Restored {
  readonly trespasses: readonly Trespass[];
  /** Messages about changes of the repository whose author is unknown. */
  readonly unclear: readonly string[];
}

/**
 * Creates the registry of all watches of one project, which share a repository. When one watch restores shared git
 * files, the other watches adopt the restored state, so that they don't report the restoration as a change by their own
 * agent. The folder that `place` returns holds the folders of all watches, including those of killed processes.
 */
export function createRepositoryWatches(git: Git, place: () => Promise<string>, guarded: GuardedBranches) {
  const open = new Map<string, OpenWatch>();
  const oneAtATime = createSerialiser();

  const updateOtherWatches = async (from: FolderSnapshot, theirs: string, keys: readonly Key[]): Promise<void> => {
    const folder = await place();
    for (const name of await readdir(folder)) {
      const home = path.join(folder, name);
      const other = home === theirs ? null : (open.get(home) ?? (await leftWatch(home)));
      // If updating the other watch fails, for example on a full disk, it reports the restoration as a change.
      if (other !== null) await updateWatch(other, from, theirs, keys).catch(() => undefined);
    }
  };

  /** Returns whether another open watch of the repository started from the same commit. */
  const mayHaveMade = (home: string, common: string, known: KnownCheckouts | null): boolean =>
    [...open.values()].some(
      (other) => other.home !== home && other.snapshot.git?.common.root === common && other.known?.head === known?.head,
    );

  return {
    /** Starts a watch. `given` lacks the record of git's own files, which this function adds with `copier`. */
    begin: (home: string, given: Omit<Snapshot, 'git'>, copier: Copier): Promise<OpenWatch> =>
      oneAtATime(async () => {
        const { root } = given.worktree;
        const excused = guarded.record();
        let known: KnownCheckouts | null = null;
        const refs = async (folders: GitFolders): Promise<KeptRefs> => {
          known = await keepCheckouts(git, root, folders);
          const kept = await Promise.all([
            keepRefs(git, root, folders, guarded),
            keepOtherRefs(git, root, folders.common, guarded),
          ]);
          return new Map(kept.flatMap((some) => [...some]));
        };
        const kept = await keepGit(root, given.access.mode === 'shared', copier, refs);
        const watch: OpenWatch = { home, snapshot: { ...given, git: kept }, excused, known };
        await saveSnapshot(home, watch.snapshot);
        open.set(home, watch);
        return watch;
      }),
    /** Restores git's own files after the agent has ended. */
    restore: (
      { home, snapshot, excused, known }: OpenWatch,
      rescue: string,
      allowed: (name: string) => boolean,
    ): Promise<Restored> =>
      oneAtATime(async () => {
        // Another watch may have updated the snapshot since this one began.
        const kept = (open.get(home)?.snapshot ?? snapshot).git;
        if (kept === null) return { trespasses: [], unclear: [] };
        const { trespasses, common: restored } = await endGit({
          git,
          kept,
          folder: home,
          rescue,
          worktree: snapshot.worktree.root,
          allowed,
          onReset: (ref) => guarded.moved(ref.slice(HEADS.length)),
        });
        if (restored.length > 0) await updateOtherWatches(kept.common, home, restored);
        const { root } = snapshot.worktree;
        const common = kept.common.root;
        const engineMoves = excused?.() ?? null;
        const refs = { git, root, common, kept: kept.refs, guarded, excused: engineMoves };
        const [ofBranches, now] = await Promise.all([endRefs(refs), otherRefsIn(git, root, common)]);
        const others = await endOtherRefs(refs, now);
        const commits = snapshot.access.mode === 'shared';
        const isShared = mayHaveMade(home, common, known);
        const made =
          known === null || engineMoves === null
            ? { trespasses: [], unclear: [] }
            : await endCheckouts({ git, root, common, known, commits, rescue, excused: engineMoves, isShared });
        return {
          trespasses: [...trespasses, ...ofBranches, ...others.trespasses, ...made.trespasses],
          unclear: [...others.unclear, ...made.unclear],
        };
      }),
    /** Ends a watch. If `isDone`, its folder is removed; otherwise the watch can still be ended after a restart. */
    end: ({ home, excused }: OpenWatch, isDone: boolean): Promise<void> =>
      oneAtATime(async () => {
        open.delete(home);
        excused?.();
        if (isDone) await removeWatchFolder(home).catch(() => undefined);
      }),
  };
}
