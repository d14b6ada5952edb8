/** What has changed since the last commit; paths are relative to the repository. */
export interface GitStatus {
  readonly changed: readonly string[];
  /** Files that two sides have changed. */
  readonly unmerged: readonly string[];
}

/** Fields before the path, by the first letter of an entry (`git status --porcelain=v2`). */
const FIELDS: Readonly<Record<string, number>> = { 1: 8, u: 10, '?': 1 };

function pathOf(entry: string, fields: number): string {
  let at = 0;
  for (let field = 0; field < fields; field += 1) at = entry.indexOf(' ', at) + 1;
  return entry.slice(at);
}

/** Of `git status --porcelain=v2 -z --no-renames`. */
export function readStatus(output: string): GitStatus {
  const changed: string[] = [];
  const unmerged: string[] = [];
  for (const entry of output.split('\0')) {
    const kind = entry.charAt(0);
    const fields = FIELDS[kind];
    if (fields === undefined) continue;
    (kind === 'u' ? unmerged : changed).push(pathOf(entry, fields));
  }
  return { changed, unmerged };
}
