import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { COSTLY, whyCostly } from '#protocol/costly-glob.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { KEPT_BACK, type Outbound } from '#protocol/outbound.ts';
import { foldName } from '../files/fold-name.ts';
import { readSmallFile } from '../files/read-small-file.ts';
import { isInside, safePath } from '../files/safe-path.ts';
import { configFolder } from '../user/config-folder.ts';

const FILE = '.vision/ignore';

/** In the user's own folder: a repository could bring a file of its own along. */
const USER_FILE = 'ignore';

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

/** Git's own folder holds the addresses of remotes, which may hold tokens; in a worktree it is a file. */
const isGit = (name: string): boolean =>
  name
    .split('/')
    .map((part) => foldName(part.replace(/\p{Default_Ignorable_Code_Point}/gu, '')))
    .some((part) => part === '.GIT' || part === 'GIT~1');

/** Where the user's own exceptions are. */
export const userRulesFile = (environment: Readonly<Record<string, string | undefined>>): string =>
  path.join(configFolder(environment), USER_FILE);

const unreadable = (file: string, why: string): RoboSmithError =>
  new RoboSmithError('io', `${file} can't be read (${why}), so that nobody knows what may leave this machine`, {
    path: file,
  });

/** Compares without case on every platform: `.ENV` is a secret where case counts, too. */
const newRules = (): Ignore => ignore({ ignorecase: true });

/** What one file of rules says, after those of `first`; null: there is no such file. */
async function readRules(file: string, shown: string, first: readonly string[]): Promise<Ignore | null> {
  const found = await readSmallFile(file, LARGEST);
  if ('missing' in found) return null;
  if ('why' in found) throw unreadable(shown, found.why);
  const text = composed(found.text.replace(/^\uFEFF/, ''));
  const costly = text.split(/\r?\n/).findIndex((line) => whyCostly(line) !== null && !line.startsWith('#'));
  if (costly !== -1) throw unreadable(shown, `line ${costly + 1}: ${COSTLY}`);
  return newRules().add(first).add(text);
}

async function versionOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return found === null ? 'none' : `${found.ino}:${found.mtimeNs}:${found.size}`;
}

/** Reads the rules of a file again whenever it has changed. */
function createRules(file: string, shown: string, first: readonly string[] = []): () => Promise<Ignore | null> {
  let known: Rules | null = null;
  return async () => {
    const version = await versionOf(file);
    if (known?.version !== version) known = { version, ignore: await readRules(file, shown, first) };
    return known.ignore;
  };
}

const toPosix = (file: string): string => file.split(path.sep).join('/');

const SECRETS = newRules().add(KEPT_BACK);

/**
 * Judges what may leave the machine, for runs that work in `directory`: the project, a folder of it, or a worktree beside it, whose
 * own rules hold as well. Secrets are kept back whatever the project says: only the user's own rules take a line back with `!`.
 */
export function createOutbound(
  project: string,
  directory: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Outbound {
  const roots = async () => {
    const [root, below] = [await realpath(project), await realpath(directory)];
    return { root, below, base: isInside(root, below) ? root : below };
  };
  const userFile = userRulesFile(environment);
  const userRules = createRules(userFile, userFile, KEPT_BACK);
  const rules = new Map<string, () => Promise<Ignore | null>>();
  const rulesOf = (folder: string): Promise<Ignore | null> => {
    const file = path.join(folder, ...FILE.split('/'));
    const known = rules.get(file) ?? createRules(file, FILE);
    rules.set(file, known);
    return known();
  };
  return {
    mayLeave: async (input) => {
      const { root, below, base } = await roots();
      const places = [path.join(below, ...input.split('/')), await safePath(below, input)];
      const names = places.map((place) => composed(toPosix(path.relative(base, place))));
      if (names.some(isGit)) return false;
      const secrets = (await userRules()) ?? SECRETS;
      const own = await rulesOf(root);
      const ofWorktree = base === root ? null : await rulesOf(base);
      return !names.some((name) => [secrets, own, ofWorktree].some((one) => one?.ignores(name) === true));
    },
  };
}

/** The lines of the project's rules that take something back, as a person is asked about them; none where the file cannot be read. */
export async function liftedRules(project: string): Promise<readonly string[]> {
  const found = await readSmallFile(path.join(project, ...FILE.split('/')), LARGEST);
  if (!('text' in found)) return [];
  return found.text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.startsWith('!'));
}
