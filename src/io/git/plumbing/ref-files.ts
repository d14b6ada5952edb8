import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createTurnBudget } from '../../clock/turn-budget.ts';

/** The commits or tag objects of refs, by the ref's full name, which is also their order. */
export type RefFiles = ReadonlyMap<string, string>;

const OBJECT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})\n?$/;

/** Parts of a name that git allows in no ref (see git-check-ref-format(1)), or that could be read differently here. */
const ODD = /[\0- ~^:?*[\\\u007f\ufffd]|\.\.|\.$|@\{/;

/** HEAD of a repository whose refs are in files. In the format "reftable" its content is `refs/heads/.invalid`. */
const HEAD = /^(?:ref: refs\/(?!heads\/\.invalid\s)|[0-9a-f]{40})/;

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR');

/** The size limit for one file, in bytes. Git has to be asked about a larger one. */
const LARGEST = 16 * 1024 * 1024;

/** Flags for reading that never blocks on a pipe that a block has put in the place of a file. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The same flags for a ref, which may be a symbolic link that names another ref. */
const READ_REF = READ | (constants.O_NOFOLLOW ?? 0);

/** Returns the text of a regular file; null if there is none. Throws if it is anything else. */
function textOf(file: string, flags: number = READ): string | null {
  let handle: number | null = null;
  try {
    handle = openSync(file, flags);
    const found = fstatSync(handle);
    if (!found.isFile() || found.size > LARGEST) throw new Error(`${file} is not as git writes it`);
    return readFileSync(handle, 'utf8');
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw thrown;
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

function hasRefFiles(common: string): boolean {
  const isOther = lstatSync(path.join(common, 'reftable'), { throwIfNoEntry: false }) !== undefined;
  return !isOther && HEAD.test(textOf(path.join(common, 'HEAD')) ?? '');
}

/** Lists a folder of refs; none if it doesn't exist. Git ignores hidden files and its own lock files. */
function listFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(
      ({ name }) => !name.startsWith('.') && !name.endsWith('.lock'),
    );
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

/** Adds the ref in a file of its own; returns false if only git can read it. */
function addFile(common: string, ref: string, found: Map<string, string>): boolean {
  const text = textOf(path.join(common, ref), READ_REF);
  // The file of a ref that git has just moved to `packed-refs` is gone. That file is read afterwards.
  if (text === null) return true;
  if (!OBJECT.test(text)) return false;
  found.set(ref, text.trimEnd());
  return true;
}

/** Adds all refs in files of their own below a folder; returns false if only git can read one of them. */
async function addLoose(
  common: string,
  below: string,
  turn: () => Promise<void> | null,
  found: Map<string, string>,
): Promise<boolean> {
  for (const entry of listFolder(path.join(common, below))) {
    const pause = turn();
    if (pause !== null) await pause;
    const ref = below + entry.name;
    if (ODD.test(entry.name) || !(entry.isDirectory() || entry.isFile())) return false;
    const isRead = entry.isDirectory() ? await addLoose(common, `${ref}/`, turn, found) : addFile(common, ref, found);
    if (!isRead) return false;
  }
  return true;
}

const PACKED = /^([0-9a-f]{40,64}) (refs\/.+)$/gm;

/**
 * Reads refs from git's files (see gitrepository-layout(5)), because starting git takes ten times as long. `wanted` has
 * full names of refs, and folders of refs such as `refs/tags/`. Returns null if git has to be asked: the repository
 * stores its refs in another format, a ref names another ref, or a file isn't as git writes it.
 */
export async function readRefFiles(common: string, wanted: readonly string[]): Promise<RefFiles | null> {
  try {
    if (!hasRefFiles(common) || wanted.some((one) => ODD.test(one))) return null;
    const turn = createTurnBudget();
    const loose = new Map<string, string>();
    for (const one of wanted) {
      const isRead = one.endsWith('/') ? await addLoose(common, one, turn, loose) : addFile(common, one, loose);
      if (!isRead) return null;
    }
    const [names, folders] = [new Set(wanted), wanted.filter((one) => one.endsWith('/'))];
    const found = new Map<string, string>();
    for (const [, object = '', ref = ''] of (textOf(path.join(common, 'packed-refs')) ?? '').matchAll(PACKED))
      if (names.has(ref) || folders.some((below) => ref.startsWith(below))) found.set(ref, object);
    for (const [ref, object] of loose) found.set(ref, object);
    return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
  } catch {
    // Git's own message says what is wrong.
    return null;
  }
}

/**
 * Reads the ref that HEAD of a worktree names; an empty string if HEAD is detached. `own` is the git folder of the
 * worktree. Returns null if git has to be asked.
 */
export function readHeadFile(own: string): string | null {
  try {
    const text = textOf(path.join(own, 'HEAD'), READ_REF) ?? '';
    if (OBJECT.test(text)) return '';
    const ref = /^ref: (refs\/heads\/\S+)\n$/.exec(text)?.[1] ?? '.invalid';
    return ref.endsWith('.invalid') ? null : ref;
  } catch {
    return null;
  }
}
