import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { COSTLY, whyCostly } from '#protocol/costly-glob.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { KEPT_BACK, type Outbound } from '#protocol/outbound.ts';
import { foldName } from '../files/ignores-case.ts';
import { readSmallFile } from '../files/read-small-file.ts';
import { isInside, safePath } from '../files/safe-path.ts';
import { configFolder } from '../user/config-folder.ts';

const FILE = '.vision/ignore';

/** The name of the file with the user's rules. It is in the user's own folder, where no repository can place a file. */
const USER_FILE = 'ignore';

/** The maximum size of a file of rules in bytes. */
const LARGEST = 1024 * 1024;

interface Rules {
  /** Identifies the state of the file: inode, modification time and size. */
  readonly version: string;
  /** The parsed rules, or null if there is no such file. */
  readonly ignore: Ignore | null;
}

/** Normalizes Unicode composition, because some file systems return a name in another form than it was written. */
const composed = (text: string): string => text.normalize('NFC');

/**
 * Returns whether a path leads into `.git`, which is a file in a linked worktree. It contains the URLs of remotes,
 * which may contain tokens.
 */
const isGit = (name: string): boolean =>
  name
    .split('/')
    .map((part) => foldName(part.replace(/\p{Default_Ignorable_Code_Point}/gu, '')))
    .some((part) => part === '.GIT' || part === 'GIT~1');

/** Returns the path of the user's own rules about which files may leave the machine. */
export const userRulesFile = (environment: Readonly<Record<string, string | undefined>>): string =>
  path.join(configFolder(environment), USER_FILE);

const unreadable = (file: string, why: string): RoboSmithError =>
  new RoboSmithError('io', `${file} can't be read (${why}), so it is unknown which files may leave this machine`, {
    path: file,
  });

/** Creates rules that ignore case on every platform, since a file named `.ENV` may contain secrets just like `.env`. */
const newRules = (): Ignore => ignore({ ignorecase: true });

/**
 * Reads a file of rules and appends them to `first`; returns null if there is no such file. Throws `io` if it can't be
 * read.
 */
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

/** Returns a function that gives the rules of a file and reads them again whenever the file has changed. */
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
 * Decides which files may leave the machine, for runs that work in `directory`: the project, a folder of it, or a
 * worktree beside it, whose own rules apply as well. Secrets never leave, whatever the project's rules say; only the
 * user's own rules can allow a secret file, with `!`.
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

/**
 * Returns the lines of the project's rules that allow files again (`!`), to show them when the user is asked to trust
 * the project. Empty if the file can't be read.
 */
export async function liftedRules(project: string): Promise<readonly string[]> {
  const found = await readSmallFile(path.join(project, ...FILE.split('/')), LARGEST);
  if (!('text' in found)) return [];
  return found.text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.startsWith('!'));
}
