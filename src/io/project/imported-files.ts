import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseJsonObject } from '#protocol/json.ts';
import { globInside } from '../files/glob-inside.ts';
import { isInside } from '../files/safe-path.ts';
import { type HashedFile, hashFile } from './file-hash.ts';
import { filesAt, filesOfOwnName, type PackageFolders, packagesOf, quotedStrings, upwards } from './package-files.ts';

/*
 * Proposes the files that a module may load, for a user to approve. The text is not parsed: every string that is the
 * path of a file or the name of a package counts. A file that is proposed without need only means that the user is asked
 * once more than necessary. A file that is missing here, because its name is computed, is not loaded: the thread of the
 * module refuses it, and `"$files"` in the registry adds it.
 */

interface ImportedFiles {
  /** The real path of the project. */
  readonly root: string;
  /** The module itself and the files that it may load, by their real paths. */
  readonly files: ReadonlyMap<string, HashedFile>;
  /** The names of the packages among them, sorted. */
  readonly packages: readonly string[];
  /** SHA-256 over the names and contents of all files, and over what decides how Node finds and reads them. */
  readonly hash: string;
}

/** Matches files of code and data that Node loads without their ending being written. */
const CODE = /\.(?:[cm]?[jt]s|json|node|wasm)$/;
const PACKAGE = /^(?:@[\w-][\w.-]*\/)?[\w-][\w.-]*(?:\/[\w./-]+)?$/;
const LEADS_TO_FILE = /^(?:file:|\.{1,2}(?:[/\\]|$)|[/\\]|[A-Za-z]:[/\\])/i;

/** Files above this size in bytes are hashed, but not searched for names. */
const LARGEST_SEARCHED = 8 * 1024 * 1024;

/** Resolves a name as `import` does: as a URL, in which escapes, a query and a fragment are allowed. */
function asAddress(name: string, folder: string): readonly string[] {
  try {
    return [fileURLToPath(new URL(name, pathToFileURL(folder + path.sep)))];
  } catch {
    return [];
  }
}

/** Returns the paths that a name may stand for: `./a.mjs`, or `a.mjs` as in `new URL('a.mjs', import.meta.url)`. */
const placesOf = (name: string, folder: string): readonly string[] =>
  LEADS_TO_FILE.test(name) || CODE.test(name)
    ? [...new Set([path.resolve(folder, name), ...asAddress(name, folder)])]
    : [];

async function namesIn(file: string): Promise<Iterable<string>> {
  const size = (await stat(file).catch(() => null))?.size ?? 0;
  return size > LARGEST_SEARCHED ? [] : quotedStrings(await readFile(file, 'utf8').catch(() => ''));
}

const withoutLinks = (file: string): Promise<string> => realpath(file).catch(() => file);

/** The files and packages that were found so far. */
interface Search {
  readonly root: string;
  readonly files: Set<string>;
  /** The real paths of names that lead through links. */
  readonly links: Map<string, string>;
  readonly waiting: string[];
  readonly packages: PackageFolders;
}

async function addFile(search: Search, found: string): Promise<void> {
  const file = await withoutLinks(found);
  if (file !== found) search.links.set(found, file);
  if (search.files.has(file)) return;
  search.files.add(file);
  search.waiting.push(file);
}

async function follow(search: Search, name: string, folder: string): Promise<void> {
  const found = name.startsWith('#')
    ? await filesOfOwnName(name, folder)
    : (await Promise.all(placesOf(name, folder).map(filesAt))).flat();
  for (const file of found) await addFile(search, file);
  if (!PACKAGE.test(name)) return;
  for (const file of await search.packages.find(name, folder)) await addFile(search, file);
}

async function addGlobs(search: Search, globs: readonly string[]): Promise<void> {
  for (const glob of globs)
    for await (const name of globInside(search.root, glob)) await addFile(search, path.join(search.root, name));
}

/**
 * Returns the files that a module may load, itself included. `file` and `project` are absolute. `globs` are relative to
 * the project and add files whose names the module computes.
 */
export async function importedFiles(
  file: string,
  project: string,
  globs: readonly string[] = [],
): Promise<ImportedFiles> {
  const root = await withoutLinks(project);
  const search: Search = { root, files: new Set(), links: new Map(), waiting: [], packages: packagesOf() };
  await addFile(search, file);
  await addGlobs(search, globs);
  for (let next = search.waiting.pop(); next !== undefined; next = search.waiting.pop())
    for (const name of await namesIn(next)) await follow(search, name, path.dirname(next));
  const files = [...search.files, ...search.packages.files()];
  return {
    root,
    packages: search.packages.names(),
    ...hashesOf(files, root, [...search.links, ...(await rulesFor(files))]),
  };
}

/** The fields of `package.json` that decide which file a name leads to, and as what kind of module Node reads a file. */
const DECIDING = ['type', 'main', 'imports', 'exports'] as const;

/** Returns the deciding fields of the `package.json` that applies to each file, by the path of the `package.json`. */
async function rulesFor(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rules = new Map<string, string>();
  const seen = new Set<string>();
  for (const file of files)
    for (const folder of upwards(path.dirname(file))) {
      if (seen.has(folder)) break;
      seen.add(folder);
      const place = path.join(folder, 'package.json');
      const text = await readFile(place, 'utf8').catch(() => null);
      if (text === null) continue;
      const fields = parseJsonObject(text) ?? {};
      if (DECIDING.some((name) => fields[name] !== undefined))
        rules.set(place, JSON.stringify(DECIDING.map((name) => fields[name] ?? null)));
      break;
    }
  return rules;
}

function hashesOf(
  names: readonly string[],
  root: string,
  rules: readonly (readonly [file: string, content: string])[],
): Pick<ImportedFiles, 'files' | 'hash'> {
  const files = new Map<string, HashedFile>();
  const whole = createHash('sha256');
  const add = (file: string, content: string): void => {
    const name = isInside(root, file) ? path.relative(root, file) : file;
    whole.update(JSON.stringify([name.split(path.sep).join('/'), content]));
  };
  for (const file of [...new Set(names)].sort()) {
    const hashed = hashFile(file);
    if (hashed === null) continue;
    files.set(file, hashed);
    add(file, hashed.hash);
  }
  for (const [file, content] of rules.toSorted()) add(file, content);
  return { files, hash: whole.digest('hex') };
}
