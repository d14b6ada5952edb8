import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isInside } from '../files/safe-path.ts';
import { filesAt, filesOfOwnName, filesOfPackage } from './package-files.ts';
import { quotedStrings } from './quoted-strings.ts';

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
  /** There were more files, or larger ones, than are looked at. */
  readonly isCut: boolean;
}

/** A worker with more files has a package of its own, and its lock file. */
const MOST_FILES = 2_000;
const LARGEST = 32 * 1024 * 1024;

/** `require` executes a file of any other ending as JavaScript. */
const NO_CODE = /\.(?:json|node|wasm)$/i;
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+(?:\/[\w./-]+)?$/;
const LEADS_TO_FILE = /^(?:file:|\.{1,2}(?:[/\\]|$)|[/\\]|[A-Za-z]:[/\\])/i;

/** As an import reads a name, with `%`, blanks, `\\`, a query and a fragment; null: it is no address of a file. */
function asAddress(name: string, folder: string): string | null {
  try {
    return fileURLToPath(new URL(name, pathToFileURL(folder + path.sep)));
  } catch {
    return null;
  }
}

/** Where a name leads, for `import` and for `require`; empty: it is no path. */
function placesOf(name: string, folder: string): readonly string[] {
  if (!LEADS_TO_FILE.test(name)) return [];
  const plain = path.resolve(folder, name);
  const address = asAddress(name, folder);
  return address === null || address === plain ? [plain] : [plain, address];
}

async function reached(name: string, folder: string, root: string): Promise<readonly string[]> {
  if (name.startsWith('#')) return filesOfOwnName(name, folder, root);
  const places = placesOf(name, folder).filter((place) => isInside(root, place));
  if (places.length > 0) return (await Promise.all(places.map(filesAt))).flat();
  return PACKAGE.test(name) ? filesOfPackage(name, folder, root) : [];
}

/** Null: the file is too large to be looked through. */
async function namesIn(file: string): Promise<Iterable<string> | null> {
  if (NO_CODE.test(file)) return [];
  if (((await stat(file).catch(() => null))?.size ?? 0) > LARGEST) return null;
  return quotedStrings(await readFile(file, 'utf8').catch(() => ''));
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
    const names = await namesIn(next);
    isCut ||= names === null;
    for (const name of names ?? [])
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
