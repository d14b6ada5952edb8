import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { COSTLY, whyCostly } from '#protocol/costly-glob.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { KEPT_BACK, type Outbound } from '#protocol/outbound.ts';
import { readSmallFile } from '../files/read-small-file.ts';
import { isInside, safePath } from '../files/safe-path.ts';

const FILE = '.vision/ignore';

/** In bytes: nobody writes more rules than that. */
const LARGEST = 1024 * 1024;

interface Rules {
  /** What tells this file from a changed one. */
  readonly version: string;
  /** Null: there is no such file. */
  readonly ignore: Ignore | null;
}

/** One composition of characters: some file systems give back another than they were told. */
const composed = (text: string): string => text.normalize('NFC');

const unreadable = (file: string, why: string): RoboSmithError =>
  new RoboSmithError('io', `${file} can't be read (${why}), so that nobody knows what may leave this machine`, {
    path: file,
  });

/** Compared without case on every platform: `.ENV` is a secret where case counts, too. */
async function readRules(file: string): Promise<Ignore | null> {
  const found = await readSmallFile(file, LARGEST);
  if ('missing' in found) return null;
  if ('why' in found) throw unreadable(FILE, found.why);
  const text = composed(found.text.replace(/^\uFEFF/, ''));
  const costly = text.split(/\r?\n/).findIndex((line) => whyCostly(line) !== null && !line.startsWith('#'));
  if (costly !== -1) throw unreadable(FILE, `line ${costly + 1}: ${COSTLY}`);
  return defaults().add(text);
}

const defaults = (): Ignore => ignore({ ignorecase: true }).add(KEPT_BACK);

async function versionOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return found === null ? 'none' : `${found.ino}:${found.mtimeNs}:${found.size}`;
}

/** The rules of a file as they are now. */
function createRules(file: string): () => Promise<Ignore | null> {
  let known: Rules | null = null;
  return async () => {
    const version = await versionOf(file);
    if (known?.version !== version) known = { version, ignore: await readRules(file) };
    return known.ignore;
  };
}

const toPosix = (file: string): string => file.split(path.sep).join('/');

/** What a project's `.vision/ignore` lets out of `directory`, where a run works: the project, a folder of it, or a worktree beside it, whose own rules hold as well. */
export function createOutbound(project: string, directory: string): Outbound {
  const roots = async () => {
    const [root, below] = [await realpath(project), await realpath(directory)];
    return { root, below, base: isInside(root, below) ? root : below };
  };
  const rules = new Map<string, () => Promise<Ignore | null>>();
  const rulesOf = (folder: string): Promise<Ignore | null> => {
    const file = path.join(folder, ...FILE.split('/'));
    const known = rules.get(file) ?? createRules(file);
    rules.set(file, known);
    return known();
  };
  return {
    mayLeave: async (input) => {
      const { root, below, base } = await roots();
      const places = [path.join(below, ...input.split('/')), await safePath(below, input)];
      const names = places.map((place) => composed(toPosix(path.relative(base, place))));
      const own = (await rulesOf(root)) ?? defaults();
      const ofWorktree = base === root ? null : await rulesOf(base);
      return !names.some((name) => own.ignores(name) || ofWorktree?.ignores(name) === true);
    },
  };
}
