/** What a checker printed about one commit. */
export interface Checked {
  readonly isClean: boolean;
  /** The lines that it printed, with `/` in paths, relative to the folder of the check. */
  readonly lines: readonly string[];
}

const quoted = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Returns the lines of a checker's output, without the temporary folder in which it ran. */
export function linesOf(output: string, folders: readonly string[]): readonly string[] {
  let text = output.replaceAll('\\', '/');
  for (const folder of folders) text = text.replaceAll(`${folder.replaceAll('\\', '/').replace(/\/+$/, '')}/`, '');
  text = text.replaceAll(/file:\/{2,3}/g, '');
  return text.split('\n').map((line) => line.trim().replace(/(^|\s)\.\//g, '$1'));
}

/** Returns a line without its positions: lines above may have been added. */
const withoutPosition = (line: string): string => line.replaceAll(/[:(]\d+(?:[:,]\d+)*\)?/g, '');

/** Returns the findings about a file, without their positions and with the number of times that each occurs. */
function findingsIn({ lines }: Checked, file: string): ReadonlyMap<string, number> {
  const names = new RegExp(`(?:^|[^\\w./-])${quoted(file)}(?![\\w-]|\\.\\w)`);
  const counts = new Map<string, number>();
  for (const line of lines) {
    if (line === file || !names.test(line)) continue;
    const finding = withoutPosition(line);
    counts.set(finding, (counts.get(finding) ?? 0) + 1);
  }
  return counts;
}

/** Returns whether a check reports something about a file that it does not report in another state of the project. */
export function reportsMore(now: Checked, before: Checked, file: string): boolean {
  const known = findingsIn(before, file);
  return [...findingsIn(now, file)].some(([finding, count]) => count > (known.get(finding) ?? 0));
}

/** Returns whether a checker that lists its files has checked a file. */
export const hasLookedAt = ({ lines }: Checked, file: string): boolean => lines.includes(file);

/** A check with no findings at all, to which others are compared. */
export const NOTHING_FOUND: Checked = { isClean: true, lines: [] };

/** Matches a line that a checker prints about a place: `file(1,2)`, `file:1:2` or `file:1`. */
const FINDING = /^([^\s:(][^:(]*)[(:](\d+)(?:[,:]\d+)*\)?/;

const isFinding = (line: string): boolean => FINDING.test(line) && !/\bwarning\b/i.test(line);

/** Returns the findings of a check that none of the others has, with their positions. */
export function newFindings(now: Checked, others: readonly Checked[]): readonly string[] {
  const countsOf = ({ lines }: Checked): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const line of lines.filter(isFinding))
      counts.set(withoutPosition(line), (counts.get(withoutPosition(line)) ?? 0) + 1);
    return counts;
  };
  const known = others.map(countsOf);
  const seen = new Map<string, number>();
  return now.lines.filter((line) => {
    if (!isFinding(line)) return false;
    const text = withoutPosition(line);
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    return known.every((counts) => count > (counts.get(text) ?? 0));
  });
}

/** Returns the file and line of a finding; null if it has none. */
export function placeOf(finding: string): { readonly file: string; readonly line: number } | null {
  const [, file, line] = FINDING.exec(finding) ?? [];
  return file === undefined ? null : { file, line: Number(line) };
}
