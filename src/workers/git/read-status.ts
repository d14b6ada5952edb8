/** A path that differs from the last commit, relative to the repository. */
export interface Change {
  readonly path: string;
  /** True if the path is neither in the index nor in the worktree; `git add` rejects such a path. */
  readonly isGone: boolean;
  /** True if the last commit does not contain the path. */
  readonly isNew: boolean;
}

/** The changes since the last commit. */
interface GitStatus {
  readonly changed: readonly Change[];
  /** Paths with unresolved merge conflicts. */
  readonly unmerged: readonly string[];
}

/** The number of fields before the path, by the first letter of an entry of `git status --porcelain=v2`. */
const FIELDS: Readonly<Record<string, number>> = { 1: 8, u: 10, '?': 1 };

function pathOf(entry: string, fields: number): string {
  let at = 0;
  for (let field = 0; field < fields; field += 1) at = entry.indexOf(' ', at) + 1;
  return entry.slice(at);
}

/** Parses the output of `git status --porcelain=v2 -z --no-renames`. */
export function readStatus(output: string): GitStatus {
  const changed = new Map<string, Change>();
  const unmerged: string[] = [];
  for (const entry of output.split('\0')) {
    const kind = entry.charAt(0);
    const fields = FIELDS[kind];
    if (fields === undefined) continue;
    const path = pathOf(entry, fields);
    // A file that was removed from the index but exists in the worktree has two entries.
    if (kind === 'u') unmerged.push(path);
    else
      changed.set(path, {
        path,
        isGone: !changed.has(path) && entry.startsWith('1 D'),
        isNew: !changed.has(path) && (kind === '?' || entry.startsWith('1 A')),
      });
  }
  return { changed: [...changed.values()], unmerged };
}
