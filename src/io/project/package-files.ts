import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../files/safe-path.ts';
import { quotedStrings } from './quoted-strings.ts';

const ENDINGS = ['', '.js', '.mjs', '.cjs', '.json', '.node', '.ts', '.mts', '.cts'];
const INDEXES = ['index.js', 'index.mjs', 'index.cjs', 'index.json', 'index.ts'];

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
  const file = path.join(folder, 'package.json');
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return [];
  const strings = [...quotedStrings(text)];
  const stars = strings.flatMap((one) => starOf(one, name) ?? []);
  const written = strings.flatMap((one) =>
    one.includes('*') ? stars.map((star) => one.replaceAll('*', () => star)) : [one],
  );
  const inside = written.map((one) => path.resolve(folder, one));
  return [file, ...inside.filter((one) => isInside(folder, one) && one !== folder)];
}

const asFolder = async (folder: string, name = '.'): Promise<readonly string[]> => [
  ...(await entriesOf(folder, name)),
  ...INDEXES.map((index) => path.join(folder, index)),
];

/** Yields the folders from one up to the root. */
function* upTo(root: string, folder: string): Generator<string> {
  for (let at = folder; isInside(root, at); at = path.dirname(at)) {
    yield at;
    if (at === path.dirname(at)) return;
  }
}

async function nameOf(folder: string): Promise<unknown> {
  try {
    const found: unknown = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    return typeof found === 'object' && found !== null && 'name' in found ? found.name : null;
  } catch {
    return null;
  }
}

/**
 * Returns the files that an import of a package name may load: from `node_modules` in the project, or from the package
 * around the folder.
 */
export async function filesOfPackage(name: string, folder: string, root: string): Promise<readonly string[]> {
  const parts = name.split('/');
  const size = name.startsWith('@') ? 2 : 1;
  const own = parts.slice(0, size).join('/');
  const inside = ['.', ...parts.slice(size)].join('/');
  const found: string[] = [];
  for (const at of upTo(root, folder)) {
    if ((await nameOf(at)) === own) found.push(...(await existing(await entriesOf(at, inside))));
    const home = path.join(at, 'node_modules', own);
    if ((await kindOf(home)) !== 'folder') continue;
    return [...found, ...(await existing([...(await asFolder(home, inside)), path.join(at, 'node_modules', name)]))];
  }
  return found;
}

/** Returns the files that a subpath import (`#name`) may load, by the nearest package.json. */
export async function filesOfOwnName(name: string, folder: string, root: string): Promise<readonly string[]> {
  for (const at of upTo(root, folder)) {
    const entries = await entriesOf(at, name);
    if (entries.length > 0) return existing(entries);
  }
  return [];
}

/** Returns the files at a path: with one of the extensions that may be omitted, or in the folder there. */
export const filesAt = async (place: string): Promise<readonly string[]> =>
  (await kindOf(place)) === 'folder' ? existing(await asFolder(place)) : existing([place]);
