import { realpath, stat } from 'node:fs/promises';
import { whyCostly } from '#protocol/costly-glob.ts';
import { globInside, isGlob } from './glob-inside.ts';
import { safePath } from './safe-path.ts';

/**
 * The maximum number of patterns that are checked, because `validate` must stay fast even for a manifest that names
 * every file.
 */
const MOST_PATTERNS = 1_000;
const MOST_ENTRIES = 20_000;

/** Folders that are too large to be searched just for a warning. They are searched only if a pattern names them. */
const HEAVY: readonly string[] = ['node_modules', '.git'];

async function isFile(root: string, input: string): Promise<boolean> {
  try {
    return (await stat(await safePath(root, input))).isFile();
  } catch {
    return false;
  }
}

/** Returns a filter that skips heavy folders, and everything once the budget of entries is used up. */
function skipFor(pattern: string, budget: { left: number }) {
  const heavy = HEAVY.filter((name) => !pattern.includes(name));
  return (name: string): boolean => {
    budget.left -= 1;
    return budget.left < 0 || heavy.includes(name);
  };
}

/**
 * Returns whether a pattern matches a file. It returns true if the pattern is too costly or the budget runs out,
 * because an uncertain warning would often be wrong.
 */
async function matches(root: string, pattern: string, budget: { left: number }): Promise<boolean> {
  if (whyCostly(pattern) !== null) return true;
  try {
    const files = globInside(root, pattern, skipFor(pattern, budget));
    const first = await files.next();
    await files.return(undefined);
    if (first.done !== true) return true;
  } catch {
    return false;
  }
  return budget.left < 0;
}

/**
 * Returns those paths and globs that match no file below a folder. Nothing outside of the folder is read, and no link
 * out of it is followed.
 */
export async function unmatchedPatterns(
  folder: string,
  patterns: Iterable<string>,
  mostEntries = MOST_ENTRIES,
): Promise<ReadonlySet<string>> {
  const asked = [...new Set(patterns)].slice(0, MOST_PATTERNS);
  if (asked.length === 0) return new Set();
  const root = await realpath(folder);
  const budget = { left: mostEntries };
  const literals = asked.filter((pattern) => !isGlob(pattern));
  const found = new Set<string>();
  const look = async (pattern: string): Promise<void> => {
    if (await isFile(root, pattern)) found.add(pattern);
  };
  await Promise.all(literals.map(look));
  for (const pattern of asked.filter(isGlob)) if (await matches(root, pattern, budget)) found.add(pattern);
  return new Set(asked.filter((pattern) => !found.has(pattern)));
}
