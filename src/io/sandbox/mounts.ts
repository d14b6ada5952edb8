import { lstat, readdir, readlink, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '#protocol/environment.ts';
import type { SandboxRequest } from '#protocol/sandbox.ts';
import { realPath } from '../files/real-path.ts';
import { gitFoldersOf } from '../git/plumbing/git-folders.ts';
import { mainWorktreeOf, worktreeTop } from '../project/linked-worktree.ts';
import { existing, homeIn, isInside, OPEN_AT_HOME, privatePlaces } from './private-places.ts';

/**
 * What a process sees at a path, from the weakest to the strongest: of two mounts at one path the later one in this list
 * counts. `scratch` is an empty folder in memory; `pinned` can be read but neither be written nor be replaced; `git` and
 * `objects` are the folders of a repository that get private versions.
 */
const KINDS = ['scratch', 'read', 'hidden', 'write', 'pinned', 'git', 'objects'] as const;

export interface Mount {
  readonly path: string;
  readonly as: (typeof KINDS)[number];
  readonly isFolder: boolean;
  /** The place whose content appears at the path; the path itself if absent. */
  readonly from?: string;
  /** The text of a symbolic link to make at the path. */
  readonly link?: string;
}

/** The folder, inside of the sandbox, of what the git folder is made of. */
export const GIT_PARTS = '/tmp/.robosmith-git';

/** Folders of the system that processes share: each sandbox gets empty ones of its own, without sockets of services. */
const SHARED = ['/tmp', '/var/tmp', '/run', '/home', '/root'];

const depth = (place: string): number => place.split('/').filter(Boolean).length;

async function mountOf(place: string, as: Mount['as']): Promise<Mount> {
  const found = await lstat(place);
  if (found.isSymbolicLink()) return { path: place, as, isFolder: false, link: await readlink(place) };
  return { path: place, as, isFolder: found.isDirectory() };
}

const mountsOf = async (places: readonly string[], as: Mount['as']): Promise<readonly Mount[]> =>
  (await Promise.all(places.map((place) => mountOf(place, as).catch(() => null)))).filter((one) => one !== null);

/** Returns the entries of the home folder that are no private ones. */
async function openAtHome(home: string): Promise<readonly string[]> {
  const names = await readdir(home).catch(() => []);
  return names.filter((name) => !name.startsWith('.')).map((name) => path.join(home, name));
}

/** Returns the folder of a program with its package, or its folder alone. */
export function packageOf(file: string): string {
  const parts = file.split('/');
  const at = parts.indexOf('node_modules');
  return at < 0 ? path.dirname(file) : parts.slice(0, at + 1).join('/');
}

/**
 * Returns the mounts of the git folders. Everything is read-only except for the index and the objects, which exist only
 * in the sandbox: `git add` works, and the repository stays as it is.
 */
async function gitMounts(root: string): Promise<readonly Mount[]> {
  const git = await gitFoldersOf(root);
  if (git === null) return [];
  const { own, common } = git;
  const pointer = path.join((await worktreeTop(root)) ?? root, '.git');
  const entries = (await readdir(own)).filter(
    (name) => !['index', 'objects'].includes(name) && !name.endsWith('.lock'),
  );
  const [objects, index] = [path.join(common, 'objects'), path.join(own, 'index')];
  const main = await mainWorktreeOf(path.dirname(pointer));
  return [
    ...(await mountsOf([common, ...(main === null ? [] : [main])], 'read')),
    ...(await mountsOf(
      [pointer].filter((one) => one !== own),
      'pinned',
    )),
    { path: own, as: 'git', isFolder: true },
    ...(await mountsOf(
      entries.map((name) => path.join(own, name)),
      'pinned',
    )),
    { path: objects, as: 'objects', isFolder: true },
    { path: `${GIT_PARTS}/objects`, as: 'read', isFolder: true, from: objects },
    ...((await stat(index).catch(() => null)) === null
      ? []
      : [{ path: `${GIT_PARTS}/index`, as: 'read' as const, isFolder: false, from: index }]),
  ];
}

/**
 * Returns the entries of `/proc` with settings of the kernel, which the superuser may write without any capability. Those
 * of processes are new in the sandbox.
 */
async function kernelSettings(): Promise<readonly string[]> {
  const entries = await readdir('/proc', { withFileTypes: true }).catch(() => []);
  const own = entries.filter((entry) => !/^\d+$/.test(entry.name) && !entry.isSymbolicLink());
  const places = own.map(({ name }) => path.join('/proc', name));
  const found = await Promise.all(
    places.map(async (place) => {
      const entry = await lstat(place).catch(() => null);
      return entry !== null && (entry.isDirectory() || (entry.mode & 0o222) !== 0) ? [place] : [];
    }),
  );
  return found.flat();
}

interface MountedProcess {
  /** The worktree. */
  readonly root: string;
  /** The absolute path of the program. */
  readonly program: string;
  readonly environment: Environment;
  readonly sandbox: SandboxRequest;
}

/** Replaces a `~` at the beginning with the home folder, and a variable with its value. */
const expanded = (place: string, home: string | null, environment: Environment): string =>
  place.replace(/^~(?=\/|$)/, () => home ?? '~').replace(/^\$(\w+)/, (_, name: string) => environment[name] ?? '');

type StateOf = Pick<MountedProcess, 'environment' | 'sandbox'>;

async function expandedAll(places: readonly string[], environment: Environment): Promise<readonly string[]> {
  const home = await homeIn(environment);
  return places.map((place) => expanded(place, home, environment)).filter(path.isAbsolute);
}

/** Returns the places that a process may write besides its worktree. */
export const writablePlaces = async (process: StateOf): Promise<readonly string[]> =>
  existing(await expandedAll(process.sandbox.state, process.environment));

/** Returns the entries of the folders with the program's settings. */
export async function settingsEntries({ environment, sandbox }: StateOf): Promise<readonly string[]> {
  const folders = await existing(await expandedAll(sandbox.settings ?? [], environment));
  const entries = await Promise.all(
    folders.map(async (folder) => (await readdir(folder).catch(() => [])).map((name) => path.join(folder, name))),
  );
  return entries.flat();
}

/** Returns the places that are symbolic links. Their targets are mounted where they are, and the links lead to them. */
async function linksAmong(places: readonly string[]): Promise<readonly Mount[]> {
  const mounts = await mountsOf(places, 'read');
  return mounts.filter(({ link }) => link !== undefined);
}

/** Returns whether a mount changes what the process sees, given the kind of the nearest mount around it. */
function hasEffect({ as, from }: Mount, around: Mount['as']): boolean {
  const isEmpty = around === 'scratch' || around === 'hidden';
  if (as === 'hidden') return !isEmpty;
  if (as === 'read') return isEmpty || from !== undefined;
  return as !== 'write' || around !== 'write';
}

/** Sorts mounts so that those of parent folders come first, and leaves out those without an effect. */
function ordered(mounts: readonly Mount[]): readonly Mount[] {
  const strongest = new Map<string, Mount>();
  for (const mount of mounts) {
    const known = strongest.get(mount.path);
    if (known === undefined || KINDS.indexOf(mount.as) > KINDS.indexOf(known.as)) strongest.set(mount.path, mount);
  }
  const kept: Mount[] = [];
  for (const mount of [...strongest.values()].sort((one, other) => depth(one.path) - depth(other.path))) {
    const around = kept.findLast((one) => isInside(mount.path, one.path))?.as ?? 'pinned';
    if (hasEffect(mount, around)) kept.push(mount);
  }
  return kept;
}

/** Returns what a sandboxed process sees of the file system, on top of all of it read-only. */
export async function mountsFor(process: MountedProcess): Promise<readonly Mount[]> {
  const { program, environment } = process;
  const root = await realPath(process.root);
  const [home, { hidden, readable }] = await Promise.all([homeIn(environment), privatePlaces(root, environment)]);
  const shared = await existing([...SHARED, ...(home === null ? [] : [home])]);
  const searched = (environment['PATH'] ?? '').split(path.delimiter);
  const programs = await existing([...searched, packageOf(program), packageOf(await realPath(program))]);
  const resolver = await existing(['/etc/resolv.conf']);
  return ordered([
    ...(await mountsOf(shared, 'scratch')),
    ...(home === null ? [] : await mountsOf(await openAtHome(home), 'read')),
    ...(await mountsOf(
      [...programs, ...readable, ...resolver, ...(await settingsEntries(process))].filter(
        (place) => !shared.includes(place),
      ),
      'read',
    )),
    ...(await linksAmong([
      ...(home === null ? [] : OPEN_AT_HOME.map((name) => path.join(home, name))),
      ...(await expandedAll(process.sandbox.state, environment)),
    ])),
    ...(await mountsOf(hidden, 'hidden')),
    ...(await mountsOf(await kernelSettings(), 'pinned')),
    ...(await mountsOf([root, ...(await writablePlaces(process))], 'write')),
    ...(await gitMounts(root)),
  ]);
}
