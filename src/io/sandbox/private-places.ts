import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '#protocol/environment.ts';
import type { PrivatePlaces } from '#protocol/sandbox.ts';
import { userFolders } from '#protocol/user-folders.ts';
import { realPath } from '../files/real-path.ts';
import { gitFoldersOf } from '../git/plumbing/git-folders.ts';
import { mainWorktreeOf, worktreeTop } from '../project/linked-worktree.ts';
import { configFolder } from '../user/config-folder.ts';

/**
 * Hidden entries of the home folder that hold programs, their packages and plain settings, but no credentials. All
 * other hidden entries are private: each program keeps its login in one, so a list of those could never be complete.
 */
export const OPEN_AT_HOME = [
  ...['.nvm', '.volta', '.asdf', '.bun', '.deno', '.pyenv', '.rbenv', '.nodenv', '.sdkman', '.rustup', '.ghcup'],
  ...['.juliaup', '.elan', '.dotnet', '.cargo/bin', '.cargo/env', '.cargo/registry', '.cargo/git', '.gem/ruby'],
  ...['.local/bin', '.local/lib', '.local/share/mise', '.local/share/uv', '.local/share/pipx', '.local/share/fnm'],
  ...['.local/share/pnpm', '.m2/repository', '.gradle/caches', '.gradle/wrapper', '.nuget/packages', '.npm-global'],
  ...['.npm/_cacache', '.pnpm-store', '.yarn/berry', '.cache/ms-playwright', '.cache/puppeteer', '.cache/Cypress'],
  ...['.cache/uv', '.cache/pip', '.cache/node', '.conda', '.opam', '.gitconfig', '.gitignore'],
  ...['.config/git/config', '.config/git/ignore', '.config/git/attributes', '.editorconfig', '.tool-versions'],
];

/** Variables that name a place of settings and credentials outside of the usual one. */
const NAMED_BY = [
  ...['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME'],
  ...['GNUPGHOME', 'DOCKER_CONFIG', 'KUBECONFIG', 'AWS_SHARED_CREDENTIALS_FILE', 'AWS_CONFIG_FILE', 'AZURE_CONFIG_DIR'],
  ...['CLOUDSDK_CONFIG', 'GOOGLE_APPLICATION_CREDENTIALS', 'GH_CONFIG_DIR', 'NETRC', 'NPM_CONFIG_USERCONFIG'],
];

/** Returns whether a place is a folder or is below it. */
export const isInside = (place: string, folder: string): boolean =>
  place === folder || place.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);

/** Returns the real paths of those places that exist, once each. */
export async function existing(places: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    places.filter(path.isAbsolute).map(async (place) => {
      const real = await realPath(place);
      return (await stat(real).catch(() => null)) === null ? [] : [real];
    }),
  );
  return [...new Set(found.flat())];
}

/** Folders of installed software and of the system, which hold no secrets of a user. */
const SOFTWARE = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/nix', '/opt', '/snap', '/proc', '/sys', '/dev'];

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/** Returns the entries of a folder that are symbolic links. */
async function linksIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => path.join(folder, name));
}

/**
 * Returns the private entries of the home folder. Programs that manage such files often keep them elsewhere and link to
 * them, so the targets of links are private too, unless they are installed software.
 */
async function privateAtHome(home: string): Promise<readonly string[]> {
  const open = new Set(OPEN_AT_HOME);
  const isPrivate = (name: string): boolean =>
    (name.startsWith('.') && !open.has(name)) || (process.platform === 'darwin' && name === 'Library');
  const entries = (await namesIn(home)).filter(isPrivate).map((name) => path.join(home, name));
  const links = await Promise.all(entries.map(linksIn));
  const targets = await existing([...entries, ...links.flat()]);
  return targets.filter((place) => !SOFTWARE.some((folder) => isInside(place, folder)));
}

/** Returns the folders of RoboSmith's own state in a project, and in the main worktree of its repository. */
function ownState(worktree: string, top: string | null, main: string | null): readonly string[] {
  const folders: string[] = [];
  for (let at = worktree; ; at = path.dirname(at)) {
    folders.push(at, ...(main === null || top === null ? [] : [path.join(main, path.relative(top, at))]));
    if (top === null || at === top || path.dirname(at) === at) break;
  }
  return folders.flatMap((folder) => [path.join(folder, '.flow'), path.join(folder, '.vision', 'logs')]);
}

/** Returns the folders of the linked worktrees of a repository, which git lists in its own folder. */
async function linkedWorktrees(common: string): Promise<readonly string[]> {
  const folder = path.join(common, 'worktrees');
  const named = await Promise.all(
    (await namesIn(folder)).map((name) => readFile(path.join(folder, name, 'gitdir'), 'utf8').catch(() => '')),
  );
  return named.map((text) => path.dirname(text.trim())).filter(path.isAbsolute);
}

/** Returns the entries of `/etc` that only their owner may read. A program of the superuser would be able to. */
async function ownersOnly(): Promise<readonly string[]> {
  const found = await Promise.all(
    (await namesIn('/etc')).map(async (name) => {
      const file = path.join('/etc', name);
      const entry = await lstat(file).catch(() => null);
      return entry === null || entry.isSymbolicLink() || (entry.mode & 0o004) !== 0 ? [] : [file];
    }),
  );
  return found.flat();
}

/** Returns the home folder of a process's environment, or null if it has none of its own. */
export async function homeIn({ HOME: home }: Environment): Promise<string | null> {
  const [real] = await existing(home === undefined ? [] : [home]);
  return real === undefined || real === path.parse(real).root ? null : real;
}

/** Returns the folders of `PATH`. */
const programFolders = ({ PATH: searched }: Environment): readonly string[] => (searched ?? '').split(path.delimiter);

/** Returns what a sandboxed process in this worktree must not read, and what it may read even inside of that. */
export async function privatePlaces(worktree: string, environment: Environment): Promise<PrivatePlaces> {
  const root = await realPath(worktree);
  const [home, top, git] = await Promise.all([homeIn(environment), worktreeTop(root), gitFoldersOf(root)]);
  const main = top === null ? null : await mainWorktreeOf(top);
  const { config, cache } = userFolders(process.platform, () => home ?? '/nonexistent', environment);
  const hidden = await existing([
    ...(home === null ? [] : await privateAtHome(home)),
    ...NAMED_BY.flatMap((name) => environment[name] ?? []),
    ...[configFolder(environment), config, cache],
    ...ownState(root, top, main),
    ...(git === null ? [] : await linkedWorktrees(git.common)),
    ...(await ownersOnly()),
  ]);
  const readable = await existing([
    ...(home === null ? [] : OPEN_AT_HOME.map((name) => path.join(home, name))),
    ...programFolders(environment),
    ...[root, main ?? root, git?.common ?? root],
  ]);
  // A place that contains the home folder, or that is needed as a whole, can't be hidden.
  const kept = hidden.filter((place) => !readable.includes(place) && (home === null || !isInside(home, place)));
  return { hidden: kept, readable };
}
