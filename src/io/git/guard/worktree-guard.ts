import { createHash } from 'node:crypto';
import { realpath, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { GuardReport, Trespass, WorktreeGuard } from '#protocol/agent.ts';
import type { Access } from '#protocol/graph.ts';
import type { Git } from '../plumbing/git.ts';
import { ignoresCase } from '../../files/ignores-case.ts';
import { entriesBelow, type Entry, type Key, nameOf, placeOf } from './entries.ts';
import { type Change, findChanges } from './find-changes.ts';
import { leadsOut } from './points-outside.ts';
import { putBack } from './restore-changes.ts';
import { redactBelow } from './redact-below.ts';
import { createRepositoryWatches, type OpenWatch } from './repository-watches.ts';
import { createCopier, readSnapshot, type Snapshot } from './snapshot.ts';
import { createWindows, type Window } from './watch-windows.ts';

/** May a block with this access change a file? */
export type Allows = (access: Access, ignoresCase: boolean) => (name: string) => boolean;

export interface GuardParts {
  /** `.flow`, absolute. */
  readonly folder: string;
  readonly allows: Allows;
  readonly git: Git;
  readonly newId: () => string;
  /** Takes secrets out of what is moved away. */
  readonly redact?: (text: string) => string;
}

const REGISTRY = '.flow/flow.registry.json';

/** The engine writes there itself, or git does; what of it matters is looked at apart. */
const skipped = (key: Key): boolean =>
  key.startsWith('.git/') ||
  (key.startsWith('.flow/') && key !== REGISTRY) ||
  key === '.vision/logs' ||
  key.slice(key.lastIndexOf('/') + 1).startsWith('.robosmith-');

/** A repository that lies there itself, or is made there, is no trespass; what leads to one elsewhere is looked after. */
async function filesBelow(root: string, before?: ReadonlyMap<Key, Entry>): Promise<Map<Key, Entry>> {
  const found = await entriesBelow(root, skipped);
  if (found.get('.git')?.kind === 'folder' && before?.has('.git') !== true) found.delete('.git');
  return found;
}

/** Folders made or removed for the sake of files that may be written there are no trespass. */
function isForAllowed(
  { key, what, before, now }: Change,
  among: readonly Key[],
  allowed: (key: Key) => boolean,
): boolean {
  const isFolder = (what === 'added' && now?.kind === 'folder') || (what === 'removed' && before?.kind === 'folder');
  return isFolder && among.some((one) => one.startsWith(`${key}/`) && allowed(one));
}

interface Sorted {
  readonly changed: readonly string[];
  readonly outside: readonly Change[];
}

interface Judge {
  readonly allowed: (key: Key) => boolean;
  readonly isKept: (name: string) => boolean;
}

async function sort(snapshot: Snapshot, folder: string, { allowed, isKept }: Judge): Promise<Sorted> {
  const { worktree } = snapshot;
  const present = await filesBelow(worktree.root, worktree.entries);
  const changes = await findChanges(worktree, folder, present);
  const among = [...present.keys(), ...worktree.entries.keys()];
  const changed: string[] = [];
  const outside: Change[] = [];
  for (const change of changes) {
    const { key, now } = change;
    const isOut = now !== null && (await leadsOut(worktree.root, key, now, isKept));
    if (allowed(key) && !isOut) {
      if (now?.kind !== 'folder') changed.push(nameOf(key));
    } else if (isOut && allowed(key)) outside.push({ ...change, what: 'leads out' });
    else if (!isForAllowed(change, among, allowed)) outside.push(change);
  }
  return { changed, outside };
}

/** A new folder is moved away with what is in it, which is told; an empty one is told itself. */
const told = (changes: readonly Change[], left: ReadonlySet<Key>): readonly Trespass[] =>
  changes
    .filter(({ key, what, now, before }) => {
      const isFolder = (now ?? before)?.kind === 'folder' && (what === 'added' || what === 'removed');
      return !isFolder || !changes.some((other) => other.key.startsWith(`${key}/`));
    })
    .map(({ key, what }) => ({ path: nameOf(key), what, restored: !left.has(key) }));

const asItIs = (text: string): string => text;

/** False: nothing was moved away. */
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

export function createWorktreeGuard({ folder, allows, git, newId, redact = asItIs }: GuardParts): WorktreeGuard {
  const windows = createWindows();
  const guards = path.join(folder, 'guards');
  const repository = createRepositoryWatches(git, guards);
  const homeOf = (key: string): string =>
    path.join(guards, createHash('sha256').update(key).digest('hex').slice(0, 32));

  const endWatch = async (watch: OpenWatch, window: Window | null): Promise<GuardReport> => {
    const { home, snapshot } = watch;
    const { worktree, access } = snapshot;
    const own = allows(access, snapshot.ignoresCase);
    const anything = allows({ mode: 'shared', paths: [] }, snapshot.ignoresCase);
    const allowed = (key: Key): boolean => {
      const name = nameOf(key);
      return own(name) || (window?.allies.some((one) => one(name)) ?? false) || (window?.theirs.has(name) ?? false);
    };
    const { changed, outside } = await sort(snapshot, home, { allowed, isKept: (name) => !anything(name) });
    if (window?.unclear === true && outside.length > 0)
      return {
        changed,
        trespasses: [],
        rescued: null,
        unclear: told(outside, new Set()).map(({ path: name }) => name),
      };
    const name = `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${newId()}`;
    const rescue = path.join(folder, 'put-back', name);
    const left = await putBack({ kept: worktree, folder: home, rescue }, outside);
    for (const { key, now } of outside.toReversed())
      if (now?.kind === 'folder') await rmdir(placeOf(worktree.root, key)).catch(() => undefined);
    if (window !== null)
      windows.putBack(
        window.root,
        outside.map(({ key }) => nameOf(key)),
      );
    const ofGit = window?.unclear === true ? [] : await repository.putBack(watch, rescue);
    return {
      changed,
      trespasses: [...told(outside, left), ...ofGit],
      rescued: (await isKeptClean(rescue, redact)) ? `.flow/put-back/${name}` : null,
      unclear: [],
    };
  };

  const finish = async (watch: OpenWatch, window: Window | null): Promise<GuardReport> => {
    let isDone = false;
    try {
      const report = await endWatch(watch, window);
      isDone = true;
      return report;
    } finally {
      if (window !== null) windows.end(window);
      await repository.end(watch, isDone);
    }
  };

  return {
    watch: async (key, given, access) => {
      const root = await realpath(given);
      const home = homeOf(key);
      await rm(home, { recursive: true, force: true });
      const copier = await createCopier(home);
      const foldsCase = await ignoresCase(root);
      const check = allows(access, foldsCase);
      const window = windows.begin(path.resolve(given), check);
      try {
        const entries = await filesBelow(root);
        const given = {
          ...{ access, ignoresCase: foldsCase },
          worktree: await copier.keep(root, entries, (one) => !check(nameOf(one))),
        };
        const watch = await repository.begin(home, given, copier);
        return { end: () => finish(watch, window) };
      } catch (thrown) {
        // No agent begins: for others there is none in this folder.
        windows.end(window);
        throw thrown;
      }
    },
    endLeft: async (key) => {
      const home = homeOf(key);
      const snapshot = await readSnapshot(home);
      return snapshot === null ? null : finish({ home, snapshot }, null);
    },
    others: (root, paths) => windows.other(path.resolve(root), paths),
  };
}
