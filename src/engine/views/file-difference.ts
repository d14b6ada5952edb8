import { createGit, type GitAnswer } from '#io/git/plumbing/git.ts';
import { processes } from '#io/process/process.ts';
import type { ChangedFile, FileDifference } from '#protocol/generated/view.gen.ts';
import { filesInRange, sessionRange, type SessionWork } from './changed-files.ts';

/** The maximum number of lines of one difference that a view shows. */
const MOST_LINES = 3_000;
/**
 * The maximum number of characters of a line. Longer lines are cut, since generated files may have lines of megabytes.
 */
const MOST_CHARACTERS = 2_000;

const git = createGit(processes);

const FORM = ['--no-ext-diff', '--no-textconv', '--no-color', '--unified=3'] as const;

type OpenHunk = Pick<FileDifference['hunks'][number], 'before' | 'after'> & { readonly lines: string[] };

const cutLine = (line: string): string => (line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line);

/** Reads the hunks of a unified diff of one file. */
export function readHunks(text: string): Pick<FileDifference, 'hunks' | 'omitted' | 'isBinary'> {
  const hunks: OpenHunk[] = [];
  let hunk: OpenHunk | null = null;
  let [shown, omitted, isBinary] = [0, 0, false];
  for (const line of text.split('\n')) {
    const starts = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (starts !== null) {
      hunk = { before: Number(starts[1]), after: Number(starts[2]), lines: [] };
      hunks.push(hunk);
    } else if (!/^[ +\\-]/.test(line)) {
      // The header of a file ends the current hunk, because its lines may begin with `+` or `-` as well.
      hunk = null;
      isBinary ||= line.startsWith('Binary files ');
    } else if (hunk === null) continue;
    else if (shown >= MOST_LINES) omitted += 1;
    else {
      hunk.lines.push(cutLine(line));
      shown += 1;
    }
  }
  return { hunks: hunks.filter(({ lines }) => lines.length > 0), omitted, isBinary };
}

/** Returns git's diff of one file between two states. */
export const diffBetween = (
  directory: string,
  range: readonly string[],
  { path, from }: Pick<ChangedFile, 'path' | 'from'>,
): Promise<GitAnswer> => {
  const paths = from === null ? [path] : [from, path];
  return git(directory, ['--literal-pathspecs', 'diff', ...FORM, '--find-renames', ...range, '--', ...paths]);
};

/** Returns what a session has changed in one file, committed or not; null if it has not changed the file. */
export async function fileDifference(
  session: SessionWork,
  root: string,
  path: string,
): Promise<Omit<FileDifference, 'session'> | null> {
  const range = await sessionRange(session, root);
  // Only files that the session has changed are compared, because a view can name any path.
  const file = range === null ? undefined : (await filesInRange(range)).find((one) => one.path === path);
  if (range === null || file === undefined) return null;
  const { out } = await diffBetween(range.directory, [range.from, range.to], file);
  return { path, from: file.from, ...readHunks(out) };
}
