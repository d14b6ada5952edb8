import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { z } from 'zod';
import { ToolFailure } from './tool.ts';

export const DEFAULT_RESULTS = 50;
const MAX_RESULTS = 1_000;
const MAX_TEXT = 1_000;
const MAX_PATH = 4_096;

export const pathArgument = z.string().min(1).max(MAX_PATH);
export const nameArgument = z.string().min(1).max(MAX_TEXT);
export const maxResultsArgument = z
  .number()
  .int()
  .min(1)
  .max(MAX_RESULTS)
  .optional()
  .describe(`Maximum number of results (default ${DEFAULT_RESULTS}, limit ${MAX_RESULTS}).`);
export const pathFilterArgument = pathArgument
  .optional()
  .describe('Limits the results to this folder, this file, or the files that match this glob, such as `src/**/*.ts`.');

const realPathOf = (path: string): string | null => {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
};

const isInside = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way === '' || (!way.startsWith(`..${sep}`) && way !== '..' && !isAbsolute(way));
};

/**
 * Returns a path relative to the root, with `/`. Throws `outside_root` if it leaves the root, directly or by a symbolic
 * link.
 */
export function insideRoot(root: string, given: string): string {
  if (given.includes('\0')) throw new ToolFailure('bad_argument', 'A path contains a NUL character.');
  const whole = resolve(root, given);
  const real = realPathOf(whole);
  if (!isInside(root, whole) && (real === null || !isInside(root, real)))
    throw new ToolFailure('outside_root', `${given} is outside ${root}. Give a path inside it.`);
  if (real !== null && !isInside(root, real))
    throw new ToolFailure(
      'outside_root',
      `${given} leads outside ${root} through a symbolic link. Give a path inside it.`,
    );
  const path = isInside(root, whole) ? whole : (real ?? whole);
  return relative(root, path).split(sep).join('/');
}

const GLOB = /[*?[\]{}!]/u;

/** Limits of a glob, because the regular expression that matches it can backtrack. */
const MOST_STARS = 3;
const MOST_BRACES = 2;

/** Returns a predicate for a glob. Groups such as `+(a|b)` are not special in it. */
function globFilter(glob: string): (path: string) => boolean {
  const count = (text: string, of: RegExp): number => text.match(of)?.length ?? 0;
  const isCostly =
    count(glob, /\*\*/gu) > MOST_STARS ||
    count(glob, /\{/gu) > MOST_BRACES ||
    glob.split('/').some((part) => part !== '**' && count(part, /\*/gu) > MOST_STARS);
  if (isCostly)
    throw new ToolFailure(
      'bad_argument',
      `The glob could take very long to match. Use at most ${MOST_STARS} "*" in a part of the path, ${MOST_STARS} "**" and ${MOST_BRACES} "{".`,
    );
  return picomatch(glob, { dot: true, noextglob: true });
}

/** Returns a predicate for the `path` argument of a tool, which may be a folder, a file or a glob. */
export function pathFilter(root: string, given: string | undefined): (path: string) => boolean {
  if (given === undefined) return () => true;
  if (GLOB.test(given)) return globFilter(given);
  const path = insideRoot(root, given);
  return path === '' ? () => true : (candidate) => candidate === path || candidate.startsWith(`${path}/`);
}
