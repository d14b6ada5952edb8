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
