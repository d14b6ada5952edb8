import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isInside } from '../files/safe-path.ts';
import { filesAt, filesOfOwnName, filesOfPackage } from './package-files.ts';
import { quotedStrings } from './quoted-strings.ts';

/*
 * Finds the files of a project that a module may load. The text is not parsed: every string literal that is the path of
 * a file counts, whether it is imported, required, read or only quoted. This finds static imports and dynamic imports
 * of literals in every spelling. A file that is included without need only means that the user is asked for trust once
 * more than necessary. Computed names are not found.
 */

interface ImportedFiles {
  /** Paths relative to the root, with `/`, sorted. The module itself is included, but not always first. */
  readonly files: readonly string[];
  /** SHA-256 over the names and contents of all files. */
  readonly hash: string;
  /** True if there were more or larger files than the limits allow. */
  readonly isCut: boolean;
}

/** The maximum number of files. Code of this size is expected to be a package with its own lock file instead. */
const MOST_FILES = 2_000;
const LARGEST = 32 * 1024 * 1024;

/** Matches files that hold no JavaScript; `require` executes a file with any other extension as JavaScript. */
const NO_CODE = /\.(?:json|node|wasm)$/i;
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+(?:\/[\w./-]+)?$/;
const LEADS_TO_FILE = /^(?:file:|\.{1,2}(?:[/\\]|$)|[/\\]|[A-Za-z]:[/\\])/i;

/**
 * Resolves a name as `import` does: as a URL, in which escapes, a query and a fragment are allowed. Returns null if the
 * result is not a file URL.
 */
function asAddress(name: string, folder: string): string | null {
  try {
    return fileURLToPath(new URL(name, pathToFileURL(folder + path.sep)));
  } catch {
    return null;
  }
}

/** Returns the paths that `require` and `import` may resolve a name to; empty if the name is not a path. */
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

/** Returns the string literals in a file, or null if the file is too large. */
async function namesIn(file: string): Promise<Iterable<string> | null> {
  if (NO_CODE.test(file)) return [];
  if (((await stat(file).catch(() => null))?.size ?? 0) > LARGEST) return null;
  return quotedStrings(await readFile(file, 'utf8').catch(() => ''));
}

async function withoutLinks(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}

/** Returns the files of the project that a module may load, itself included. Both paths are absolute. */
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
