import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInside } from '../files/safe-path.ts';

/*
 * Which files of a project a module may load. The text is not parsed: every string in it that leads to a file counts, whether it is
 * imported, required, read or only quoted. That finds static imports and literal dynamic ones in all their spellings, and a file too
 * many costs one more question at most. A name that is computed is not found.
 */

export interface ImportedFiles {
  /** Relative to the root, with `/`, in order; the first one is not always the module itself. */
  readonly files: readonly string[];
  /** SHA-256 over the names and contents of all of them. */
  readonly hash: string;
  /** There were more files than are looked at. */
  readonly isCut: boolean;
}

/** A worker with more files has a package of its own, and its lock file. */
const MOST_FILES = 2_000;
const LARGEST = 4 * 1024 * 1024;
const LONGEST_NAME = 300;

const CODE = /\.[cm]?[jt]sx?$/i;
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.json', '.node', '.ts', '.mts', '.cts'];
const INDEXES = ['index.js', 'index.mjs', 'index.cjs', 'index.json', 'index.ts'];

/** From each quote to the next one of its kind; they overlap, since a quote in a comment or a pattern opens nothing. */
const STRINGS = new RegExp(`(?=(["'\`])((?:\\\\[^]|(?!\\1)[^\\\\\\n]){1,${LONGEST_NAME}})\\1)`, 'g');
const ESCAPE = /\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|(\r\n|[^]))/gi;
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+(?:\/[\w./-]+)?$/;
const IMPORTS_AT_ALL = /\b(?:import|require|from)\b/;

const decoded = (_: string, long?: string, short?: string, byte?: string, other = ''): string => {
  const code = Number.parseInt(long ?? short ?? byte ?? '', 16);
  if (Number.isNaN(code)) return other.endsWith('\n') ? '' : other;
  return code > 0x10ffff ? '' : String.fromCodePoint(code);
};

const unescaped = (text: string): string => text.replace(ESCAPE, decoded);

const stringsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(STRINGS)].map(([, , inside = '']) => unescaped(inside)));

async function kindOf(file: string): Promise<'file' | 'folder' | null> {
  const found = await stat(file).catch(() => null);
  if (found === null) return null;
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : null;
}

/** All strings of a package.json that lead into the package: `main`, `exports` and `imports` in any of their shapes. */
async function entriesOf(folder: string): Promise<readonly string[]> {
  const file = path.join(folder, 'package.json');
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return [];
  const inside = [...stringsIn(text)].map((name) => path.resolve(folder, name));
  return [file, ...inside.filter((one) => isInside(folder, one) && one !== folder)];
}

const asFolder = async (folder: string): Promise<readonly string[]> => [
  ...(await entriesOf(folder)),
  ...INDEXES.map((name) => path.join(folder, name)),
];

async function existing(places: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const place of places)
    for (const ending of ENDINGS) if ((await kindOf(place + ending)) === 'file') found.push(place + ending);
  return found;
}

/** A package that the project has in a `node_modules` of its own. */
async function ofPackage(name: string, folder: string, root: string): Promise<readonly string[]> {
  const parts = name.split('/');
  const own = parts.slice(0, name.startsWith('@') ? 2 : 1).join('/');
  for (let at = folder; isInside(root, at); at = path.dirname(at)) {
    const home = path.join(at, 'node_modules', own);
    if ((await kindOf(home)) === 'folder')
      return existing([...(await asFolder(home)), path.join(at, 'node_modules', name)]);
    if (at === path.dirname(at)) break;
  }
  return [];
}

/** `#name` stands for what the nearest package.json says. */
async function ofOwnPackage(folder: string, root: string): Promise<readonly string[]> {
  for (let at = folder; isInside(root, at); at = path.dirname(at)) {
    const entries = await entriesOf(at);
    if (entries.length > 0) return existing(entries);
    if (at === path.dirname(at)) break;
  }
  return [];
}

function placeOf(name: string, folder: string): string | null {
  if (name.startsWith('file:')) {
    try {
      return fileURLToPath(name);
    } catch {
      return null;
    }
  }
  if (!/^(?:\.{1,2}(?:[/\\]|$)|[/\\]|[A-Za-z]:[/\\])/.test(name)) return null;
  // Of an import, a query and a fragment are no part of the name; `%` is as in an address.
  const plain = name.replace(/[?#].*$/, '');
  try {
    return path.resolve(folder, decodeURIComponent(plain));
  } catch {
    return path.resolve(folder, plain);
  }
}

async function reached(name: string, folder: string, root: string): Promise<readonly string[]> {
  if (name.startsWith('#')) return ofOwnPackage(folder, root);
  const place = placeOf(name, folder);
  if (place === null) return PACKAGE.test(name) ? ofPackage(name, folder, root) : [];
  if (!isInside(root, place)) return [];
  return (await kindOf(place)) === 'folder' ? existing(await asFolder(place)) : existing([place]);
}

async function namesIn(file: string): Promise<readonly string[]> {
  if (!CODE.test(file) || ((await stat(file).catch(() => null))?.size ?? 0) > LARGEST) return [];
  const text = await readFile(file, 'utf8').catch(() => '');
  return IMPORTS_AT_ALL.test(unescaped(text)) ? [...stringsIn(text)] : [];
}

async function withoutLinks(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}

/** The files that a module of the project reaches, itself included. Both are absolute. */
export async function importedFiles(file: string, project: string): Promise<ImportedFiles> {
  const [module, root] = [await withoutLinks(file), await withoutLinks(project)];
  const known = new Set([module]);
  const waiting = [module];
  let isCut = false;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const folder = path.dirname(next);
    for (const name of await namesIn(next))
      for (const found of await reached(name, folder, root)) {
        const one = await withoutLinks(found);
        if (known.has(one) || !isInside(root, one)) continue;
        if (known.size >= MOST_FILES) {
          isCut = true;
          continue;
        }
        known.add(one);
        waiting.push(one);
      }
  }
  return { ...(await hashOf([...known].sort(), root)), isCut };
}

async function hashOf(files: readonly string[], root: string): Promise<Omit<ImportedFiles, 'isCut'>> {
  const hash = createHash('sha256');
  const names: string[] = [];
  for (const file of files) {
    const name = path.relative(root, file).split(path.sep).join('/');
    const content = await readFile(file).catch(() => '');
    hash.update(JSON.stringify([name, createHash('sha256').update(content).digest('hex')]));
    names.push(name);
  }
  return { files: names, hash: hash.digest('hex') };
}
