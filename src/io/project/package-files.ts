import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseJsonObject } from '#protocol/json.ts';

/** The longest piece in characters that is taken for the name of a file or a package. */
const LONGEST = 300;

/**
 * Returns what stands between two quotes on one line of a JavaScript or JSON text. Escapes are not decoded, and text
 * between two strings counts too: both only matter for the names of files, which are looked up on disk.
 */
export const quotedStrings = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .split('\n')
      .flatMap((line) => line.split(/["'`]/).slice(1, -1))
      .filter((piece) => piece !== '' && piece.length <= LONGEST),
  );

const ENDINGS = ['', '.js', '.mjs', '.cjs', '.json', '.node', '.ts', '.mts', '.cts'];

const INDEXES = ['index.js', 'index.mjs', 'index.cjs', 'index.json', 'index.ts'];

/** Matches the files of a package that Node loads. Declarations for TypeScript are never loaded. */
const LOADED = /(?<!\.d)\.(?:[cm]?[jt]s|json|node|wasm)$/;

async function kindOf(file: string): Promise<'file' | 'folder' | null> {
  const found = await stat(file).catch(() => null);
  if (found === null) return null;
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : null;
}

async function existing(places: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const place of new Set(places))
    for (const ending of ENDINGS) if ((await kindOf(place + ending)) === 'file') found.push(place + ending);
  return found;
}

/** Returns the text that `*` matches, or null if the name doesn't match the pattern. */
function starOf(pattern: string, name: string): string | null {
  const [before, after, ...more] = pattern.split('*');
  if (before === undefined || after === undefined || more.length > 0) return null;
  const isMatch = name.startsWith(before) && name.endsWith(after) && name.length >= before.length + after.length;
  return isMatch ? name.slice(before.length, name.length - after.length) : null;
}

/**
 * Returns the files that a package.json leads to: its strings from `main`, `exports` and `imports` in any shape. `name`
 * is the imported name in the form that these fields use, for patterns with `*`.
 */
async function entriesOf(folder: string, name: string): Promise<readonly string[]> {
  const text = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => null);
  if (text === null) return [];
  const strings = [...quotedStrings(text)];
  const stars = strings.flatMap((one) => starOf(one, name) ?? []);
  return strings
    .flatMap((one) => (one.includes('*') ? stars.map((star) => one.replaceAll('*', () => star)) : [one]))
    .map((one) => path.resolve(folder, one))
    .filter((one) => one.startsWith(folder + path.sep));
}

/** Yields a folder and all folders above it. */
export function* upwards(folder: string): Generator<string> {
  for (let at = folder; ; at = path.dirname(at)) {
    yield at;
    if (at === path.dirname(at)) return;
  }
}

type Manifest = NonNullable<ReturnType<typeof parseJsonObject>>;

const packageJson = async (folder: string): Promise<Manifest> =>
  parseJsonObject(await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => '')) ?? {};

/** Returns the files that a subpath import (`#name`) may load, by the nearest package.json. */
export async function filesOfOwnName(name: string, folder: string): Promise<readonly string[]> {
  for (const at of upwards(folder)) {
    const entries = await entriesOf(at, name);
    if (entries.length > 0) return existing(entries);
  }
  return [];
}

/** Returns the files at a path: with one of the extensions that may be omitted, or in the folder there. */
export const filesAt = async (place: string): Promise<readonly string[]> =>
  (await kindOf(place)) === 'folder'
    ? existing([...(await entriesOf(place, '.')), ...INDEXES.map((index) => path.join(place, index))])
    : existing([place]);

/** Returns the files below a folder that Node may load, without the packages that are installed inside. */
async function loadedBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const inner = entries.filter((one) => one.isDirectory() && one.name !== 'node_modules');
  const below = await Promise.all(inner.map(({ name }) => loadedBelow(path.join(folder, name))));
  const here = entries
    .filter((one) => one.isFile() && LOADED.test(one.name))
    .map(({ name }) => path.join(folder, name));
  return [...here, ...below.flat()];
}

const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const;

/** The installed packages that a module imports, with those that they depend on. */
export interface PackageFolders {
  /** Adds the package that a name imports. Returns the files to follow if it is the package around the folder itself. */
  find(name: string, folder: string): Promise<readonly string[]>;
  names(): readonly string[];
  files(): readonly string[];
}

/**
 * Collects packages as a whole: what a package loads of its own files is for the package to compute, and its files change
 * together when it is installed.
 */
export function packagesOf(): PackageFolders {
  const names = new Set<string>();
  const folders = new Map<string, readonly string[]>();
  const ownNames = new Map<string, unknown>();

  const ownNameOf = async (folder: string): Promise<unknown> => {
    if (!ownNames.has(folder)) ownNames.set(folder, (await packageJson(folder))['name']);
    return ownNames.get(folder);
  };

  const add = async (name: string, folder: string): Promise<boolean> => {
    for (const at of upwards(folder)) {
      if (path.basename(at) === 'node_modules') continue;
      const home = path.join(at, 'node_modules', name);
      if ((await kindOf(home)) !== 'folder') continue;
      const real = await realpath(home);
      names.add(name);
      if (folders.has(real)) return true;
      folders.set(real, []);
      folders.set(real, await loadedBelow(real));
      const described = await packageJson(real);
      for (const kind of DEPENDENCIES)
        for (const dependency of Object.keys(described[kind] ?? {})) await add(dependency, real);
      return true;
    }
    return false;
  };

  return {
    find: async (name, folder) => {
      const parts = name.split('/');
      const size = name.startsWith('@') ? 2 : 1;
      const own = parts.slice(0, size).join('/');
      if (await add(own, folder)) return [];
      for (const at of upwards(folder))
        if ((await ownNameOf(at)) === own) return existing(await entriesOf(at, ['.', ...parts.slice(size)].join('/')));
      return [];
    },
    names: () => [...names].sort(),
    files: () => [...folders.values()].flat(),
  };
}
