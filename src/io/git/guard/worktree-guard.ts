import { createHash } from 'node:crypto';
import { mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { GuardReport, Trespass, WorktreeGuard } from '#protocol/agent.ts';
import type { Access } from '#protocol/graph.ts';
import type { Git } from '../plumbing/git.ts';
import { hooksFolder } from '../plumbing/hooks-folder.ts';
import { ignoresCase } from '../../files/ignores-case.ts';
import { type Key, nameOf, placeOf } from './entries.ts';
import { type Change, findChanges } from './find-changes.ts';
import { pointsOutside } from './points-outside.ts';
import { isMountPoint, placeholdersIn, removePlaceholders } from './placeholders.ts';
import { restoreChanges } from './restore-changes.ts';
import { redactBelow } from './redact-below.ts';
import { type GuardedBranches, NO_BRANCHES } from './ref-watch.ts';
import { createRepositoryWatches, type OpenWatch } from './repository-watches.ts';
import { endState, keepState } from './state-watch.ts';
import { endOfLife, keepSignOfLife } from './sign-of-life.ts';
import { createCopier, removeWatchFolder } from './copier.ts';
import { beginSetUp, endSetUp, isInSetUp } from './set-up-files.ts';
import { readSnapshot } from './snapshot.ts';
import { createWindows, type Window } from './watch-windows.ts';
import { filesBelow } from './watched-files.ts';

/** Returns a function that says whether a block with this access may change the file with a given name. */
type Allows = (access: Access, ignoresCase: boolean, hooks: string | null) => (name: string) => boolean;

interface GuardParts {
  /** The absolute path of the project's `.flow` folder. */
  readonly folder: string;
  readonly allows: Allows;
  readonly git: Git;
  readonly newId: () => string;
  /**
   * The absolute path of the folder for copies of files. It is outside of the project, so that an agent that deletes
   * the project doesn't delete them. If absent, the copies are below `folder`.
   */
  readonly copies?: string;
  /** The branches that only their own sessions may move; none if absent. */
  readonly branches?: GuardedBranches;
  /** Removes secrets from files that are moved to the rescue folder. */
  readonly redact?: (text: string) => string;
}

/** The result if other steps may have changed the repository at the same time: nothing is restored. */
const NOTHING = { trespasses: [], unclear: [] };

/** Returns whether a folder was added or removed only because of files that the block may write. */
function isForAllowed(
  { key, what, before, now }: Change,
  among: readonly Key[],
  allowed: (key: Key) => boolean,
): boolean {
  const isFolder = (what === 'added' && now?.kind === 'folder') || (what === 'removed' && before?.kind === 'folder');
  return isFolder && among.some((one) => one.startsWith(`${key}/`) && allowed(one));
}

/**
 * Separates changes that were made after the engine was killed. A person may have made them, so they stay, except in
 * files that no block may write.
 */
function withoutLate(outside: readonly Change[], until: number, isKept: (name: string) => boolean) {
  const late = outside.filter(
    ({ key, now }) => now !== null && now.kind !== 'folder' && now.modifiedAt > until && !isKept(nameOf(key)),
  );
  const isLate = ({ key }: Change): boolean => late.some((one) => one.key === key || one.key.startsWith(`${key}/`));
  return { early: outside.filter((one) => !isLate(one)), late: late.map(({ key }) => nameOf(key)) };
}

interface Sorted {
  readonly changed: readonly string[];
  readonly outside: readonly Change[];
}

interface Judge {
  readonly allowed: (key: Key) => boolean;
  readonly isKept: (name: string) => boolean;
  /** The time in milliseconds since the epoch after which a person may have made a change. */
  readonly until: number;
}

async function sort(
  parts: Pick<GuardParts, 'git' | 'folder'>,
  { home, snapshot }: OpenWatch,
  { allowed, isKept, until }: Judge,
): Promise<Sorted> {
  const { worktree, setUp } = snapshot;
  const present = await filesBelow(parts, worktree.root, isInSetUp(setUp), worktree.entries);
  const ofSetUp = await endSetUp(setUp, worktree.root, worktree.entries);
  for (const [key, entry] of ofSetUp.now) present.set(key, entry);
  const entries = new Map([...worktree.entries, ...ofSetUp.before]);
  const changes = await findChanges({ ...worktree, entries }, home, present);
  const among = [...present.keys(), ...entries.keys()];
  const empty = placeholdersIn(changes);
  const changed: string[] = [];
  const outside: Change[] = [];
  const isPlaceholder = (change: Change): boolean =>
    empty.has(change.key) && (!allowed(change.key) || isMountPoint(change)) && (change.now?.modifiedAt ?? 0) <= until;
  const gone = await removePlaceholders(
    worktree.root,
    changes.filter(isPlaceholder).map(({ key }) => key),
  );
  for (const change of changes) {
    const { key, now } = change;
    if (gone.has(key)) continue;
    const isOut = now !== null && (await pointsOutside(worktree.root, key, now, isKept));
    if (allowed(key) && !isOut) {
      if (now?.kind !== 'folder') changed.push(nameOf(key));
    } else if (isOut && allowed(key)) outside.push({ ...change, what: 'leads out' });
    else if (!isForAllowed(change, among, allowed)) outside.push(change);
  }
  return { changed, outside };
}

/** Converts changes to trespasses. A folder that was added or removed is listed only if none of its entries is. */
const toTrespasses = (changes: readonly Change[], left: ReadonlySet<Key>): readonly Trespass[] =>
  changes
    .filter(({ key, what, now, before }) => {
      const isFolder = (now ?? before)?.kind === 'folder' && (what === 'added' || what === 'removed');
      return !isFolder || !changes.some((other) => other.key.startsWith(`${key}/`));
    })
    .map(({ key, what }) => ({ path: nameOf(key), what, restored: !left.has(key) }));

const asItIs = (text: string): string => text;

/** Removes secrets from the rescue folder; returns false if the folder doesn't exist because nothing was moved. */
async function isKeptClean(rescue: string, redact: (text: string) => string): Promise<boolean> {
  if (!(await exists(rescue))) return false;
  await redactBelow(rescue, redact);
  return true;
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/**
 * Creates the first of these folders that can be created, and returns it. Returns the last folder if none can be
 * created.
 */
async function placeFor(folders: readonly [string, ...string[]]): Promise<string> {
  for (const folder of folders)
    if (
      await mkdir(folder, { recursive: true, mode: 0o700 }).then(
        () => true,
        () => false,
      )
    )
      return folder;
  return folders.at(-1) ?? folders[0];
}

/** The folders for copies of files, one for each watch. */
interface CopyPlaces {
  /** Returns the folder for all copies of the project; it exists. */
  folder(): Promise<string>;
  /**
   * Returns the folders in which the copies of a watch may be, including a watch that was started by another process.
   */
  homes(key: string): Promise<readonly string[]>;
  /** Returns the folder for the copies of a new watch. */
  home(key: string): Promise<string>;
}

function createCopyPlaces({ folder, copies }: Pick<GuardParts, 'folder' | 'copies'>): CopyPlaces {
  const beside = path.join(folder, 'guards');
  const apart = copies === undefined ? null : path.join(copies, createHash('sha256').update(folder).digest('hex'));
  let found: Promise<string> | null = null;
  const place = (): Promise<string> => (found ??= placeFor(apart === null ? [beside] : [apart, beside]));
  const homeIn = (guards: string, key: string): string =>
    path.join(guards, createHash('sha256').update(key).digest('hex').slice(0, 32));
  return {
    folder: place,
    homes: async (key) => [...new Set([await place(), beside])].map((guards) => homeIn(guards, key)),
    home: async (key) => homeIn(await place(), key),
  };
}

interface WatchEndParts extends Pick<GuardParts, 'folder' | 'allows' | 'git' | 'newId'> {
  readonly redact: (text: string) => string;
  readonly windows: ReturnType<typeof createWindows>;
  readonly repository: ReturnType<typeof createRepositoryWatches>;
}

/** Creates the function that ends a watch: what the block may not change is restored, and the copies are removed. */
function watchEnder({ folder, allows, git, newId, redact, windows, repository }: WatchEndParts) {
  const endWatch = async (watch: OpenWatch, window: Window | null, until: number): Promise<GuardReport> => {
    const { home, snapshot } = watch;
    const { worktree, access } = snapshot;
    const own = allows(access, snapshot.ignoresCase, snapshot.hooks);
    const anything = allows({ mode: 'shared', paths: [] }, snapshot.ignoresCase, snapshot.hooks);
    const allowed = (key: Key): boolean => {
      const name = nameOf(key);
      return own(name) || (window?.allies.some((one) => one(name)) ?? false) || (window?.theirs.has(name) ?? false);
    };
    const isKept = (name: string): boolean => !anything(name);
    const sorted = await sort({ git, folder }, watch, { allowed, isKept, until });
    const { early: outside, late } = withoutLate(sorted.outside, until, isKept);
    const { changed } = sorted;
    const name = `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${newId()}`;
    const rescue = path.join(folder, 'put-back', name);
    if (window?.unclear === true && outside.length > 0) {
      const ofState = snapshot.state === null ? [] : await endState(snapshot.state, home, rescue);
      return {
        changed,
        trespasses: ofState,
        rescued: ofState.length > 0 ? `.flow/put-back/${name}` : null,
        unclear: toTrespasses(outside, new Set()).map(({ path: one }) => one),
      };
    }
    const left = await restoreChanges({ kept: worktree, folder: home, rescue }, outside);
    for (const { key, now } of outside.toReversed())
      if (now?.kind === 'folder') await rmdir(placeOf(worktree.root, key)).catch(() => undefined);
    if (window !== null)
      windows.restored(
        window.root,
        outside.map(({ key }) => nameOf(key)),
      );
    const ofState = snapshot.state === null ? [] : await endState(snapshot.state, home, rescue);
    const staged = (one: string): boolean => own(one) || (window?.allies.some((ally) => ally(one)) ?? false);
    const ofGit = window?.unclear === true ? NOTHING : await repository.restore(watch, rescue, staged);
    return {
      changed,
      trespasses: [...toTrespasses(outside, left), ...ofState, ...ofGit.trespasses],
      rescued: (await isKeptClean(rescue, redact)) ? `.flow/put-back/${name}` : null,
      unclear: [...late, ...ofGit.unclear],
    };
  };

  return async (watch: OpenWatch, window: Window | null, until = Infinity): Promise<GuardReport> => {
    let isDone = false;
    try {
      const report = await endWatch(watch, window, until);
      isDone = true;
      return report;
    } finally {
      if (window !== null) windows.end(window);
      await repository.end(watch, isDone);
    }
  };
}

export function createWorktreeGuard(parts: GuardParts): WorktreeGuard {
  const { folder, allows, git, branches = NO_BRANCHES, redact = asItIs } = parts;
  const windows = createWindows();
  const places = createCopyPlaces(parts);
  const repository = createRepositoryWatches(git, places.folder, branches);
  const finish = watchEnder({ ...parts, redact, windows, repository });

  return {
    watch: async (key, given, access) => {
      const root = await realpath(given);
      const home = await places.home(key);
      await removeWatchFolder(home);
      const copier = createCopier(home);
      const foldsCase = await ignoresCase(root);
      const hooks = await hooksFolder(git, root);
      const check = allows(access, foldsCase, hooks);
      const window = windows.begin(path.resolve(given), check);
      try {
        const { setUp, others } = await beginSetUp(git, root);
        const entries = new Map([...(await filesBelow(parts, root, isInSetUp(setUp))), ...others]);
        const given = {
          access,
          ignoresCase: foldsCase,
          hooks,
          worktree: await copier.keep(root, entries, (one) => !check(nameOf(one))),
          setUp,
          state: (await exists(folder)) ? await keepState(await realpath(folder), copier) : null,
        };
        const watch = await repository.begin(home, given, copier);
        const endSigns = keepSignOfLife(home);
        return {
          end: () => {
            endSigns();
            return finish(watch, window);
          },
        };
      } catch (thrown) {
        // If the watch can't begin, no agent starts, so other watches must not treat this block as working in the
        // folder.
        windows.end(window);
        await removeWatchFolder(home).catch(() => undefined);
        throw thrown;
      }
    },
    endLeft: async (key) => {
      for (const home of await places.homes(key)) {
        const snapshot = await readSnapshot(home);
        if (snapshot !== null)
          return finish({ home, snapshot, excused: null, known: null }, null, await endOfLife(home));
      }
      return null;
    },
    others: (root, paths) => windows.other(path.resolve(root), paths),
  };
}
