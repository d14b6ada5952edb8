import { realpath, stat } from 'node:fs/promises';
import { whyCostly } from '#protocol/costly-glob.ts';
import { globInside, isGlob } from './glob-inside.ts';
import { safePath } from './safe-path.ts';

/** Looked at in one go: `validate` must stay fast, also for a manifest that names everything. */
const MOST_PATTERNS = 1_000;
const MOST_ENTRIES = 20_000;

/** Too large to be walked for a warning, unless a pattern asks for one by name. */
const HEAVY: readonly string[] = ['node_modules', '.git'];

async function isFile(root: string, input: string): Promise<boolean> {
  try {
    return (await stat(await safePath(root, input))).isFile();
  } catch {
    return false;
  }
}

/** Keeps out of heavy folders, and stops when the budget is used up. */
function skipFor(pattern: string, budget: { left: number }) {
  const heavy = HEAVY.filter((name) => !pattern.includes(name));
  return (name: string): boolean => {
    budget.left -= 1;
    return budget.left < 0 || heavy.includes(name);
  };
}

/** True also when it is too costly to find out, or the budget ends before an answer: an unsure warning would be wrong half of the time. */
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

/** Which of these paths and globs match no file below a folder. Nothing outside of it is looked at, links included. */
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
