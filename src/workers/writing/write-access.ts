import picomatch from 'picomatch';
import { COSTLY, whyCostly } from '#protocol/costly-glob.ts';
import type { Access } from '#protocol/graph.ts';
import { configurationIn, namesAll, type Writer } from './configuration-names.ts';

/**
 * Folders of RoboSmith and git. No worker may write to them, because their files determine what is executed. `git~1` is
 * the short name of `.git` on Windows.
 */
const KEPT: ReadonlySet<string> = new Set(['.git', '.flow', '.vision', 'git~1']);

/**
 * Maximum length of a path in characters. Longer paths are rejected, because matching them against globs would take too
 * long.
 */
const LONGEST = 1_000;

/** Normalises a name like the most tolerant file systems, which ignore case and invisible characters. */
const fold = (name: string): string => name.replace(/\p{Default_Ignorable_Code_Point}/gu, '').toLowerCase();

/** Returns true for temporary files that a write in progress creates next to its targets. */
const isScaffold = (name: string): boolean => name.startsWith('.robosmith-');

const keptIn = (file: string): string | null =>
  file.split('/').find((part) => KEPT.has(fold(part)) || isScaffold(fold(part))) ?? null;

const TO_ALLOW =
  'add "artifact" to the block, or "access": { "mode": "partial", "paths": ["src/**"] }, or "access": { "mode": "shared" }';

const TO_PLAN = 'plan the files it may write with Internal:UpdateChangePlan or `robosmith sessions change --plan`';

/** Maximum number of paths that a message lists. */
const MOST_LISTED = 20;

function listed(paths: readonly string[]): string {
  const more = paths.length - MOST_LISTED;
  return `${paths.slice(0, MOST_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns all paths and globs that a block may write, as written in the manifest and the change plan. */
export const writablePaths = ({ paths, plan }: Access): readonly string[] => [...paths, ...(plan?.written ?? [])];

const outside = (access: Access): string =>
  access.plan === undefined
    ? `it is not among the block's "access" paths: ${listed(access.paths)}`
    : `it is not in the change plan of the session (${listed(writablePaths(access))}): ${TO_PLAN}`;

/**
 * Returns a text that names the first pattern that is ignored because matching it could take very long, or an empty
 * string if there is none.
 */
function costlyAmong(globs: readonly string[]): string {
  const first = globs.find((glob) => whyCostly(glob) !== null);
  return first === undefined ? '' : `; "${first.slice(0, 100)}" is ignored, ${COSTLY}: ${whyCostly(first) ?? ''}`;
}

/** Returns why a block may not write any file and how to change that, or null if it may write some files. */
export function whyNothing({ mode, paths, plan }: Access): string | null {
  if (mode === 'strict') return 'its "access" has the mode "strict"';
  if (mode === 'shared' || paths.length > 0 || (plan?.written.length ?? 0) > 0) return null;
  if (plan !== undefined) return `the change plan of its session is empty: ${TO_PLAN}, or ${TO_ALLOW}`;
  return TO_ALLOW;
}

/** Returns the parts of a path up to the folder of git's hooks if the path leads into that folder, else none. */
function partsOfHooks(file: string, hooks: string | null): readonly string[] {
  if (hooks === null) return [];
  const [parts, folder] = [file.split('/'), hooks.split('/')];
  return folder.every((name, index) => fold(name) === fold(parts[index] ?? '')) ? parts.slice(0, folder.length) : [];
}

/**
 * Returns a check that rejects files that configure other programs, unless a path of the block's `access` names them
 * literally.
 */
function configurationCheck({ paths }: Access, options: picomatch.PicomatchOptions, by: Writer, hooks: string | null) {
  const named = paths.map((glob) => ({ glob, matches: picomatch(glob, options) }));
  return (path: string, real: string): string | null => {
    for (const file of [path, real]) {
      const parts = [...configurationIn(file, by, fold), ...partsOfHooks(file, hooks)];
      if (parts.length === 0) continue;
      if (named.some(({ glob, matches }) => namesAll(glob, parts, fold) && matches(real))) continue;
      return `"${parts[0] ?? file}" can configure other programs, so the block's "access" paths must name it literally, for example ${JSON.stringify(file)}`;
    }
    return null;
  };
}

/**
 * Returns a function that says why a block may not write a file, or null if it may. `hooks` is the folder of git's
 * hooks, if that lies below the folder of the files.
 */
export function accessCheck(access: Access, by: Writer, ignoresCase: boolean, hooks: string | null = null) {
  const { mode, paths, plan } = access;
  // A leading "!" must not negate the pattern, which would allow all other files.
  const options = { dot: true, nonegate: true, nocase: ignoresCase };
  const globs = [...paths, ...(plan?.globs ?? [])];
  const usable = globs.filter((glob) => whyCostly(glob) === null);
  const isListed = mode === 'partial' ? picomatch(usable, options) : () => mode === 'shared';
  const whyOutside = outside(access) + costlyAmong(globs);
  const configuration = configurationCheck(access, options, by, hooks);
  /** `path` is the requested path, and `real` the path after resolving links. */
  return (path: string, real: string): string | null => {
    if (path.length > LONGEST || real.length > LONGEST) return `it is longer than ${LONGEST} characters`;
    const kept = keptIn(path) ?? keptIn(real);
    if (kept !== null) return `workers must never write to "${kept}"`;
    return configuration(path, real) ?? (isListed(real) ? null : whyOutside);
  };
}
