import { shellWord } from '#protocol/shell-word.ts';
import type { Git } from '../plumbing/git.ts';
import type { MainInspection } from './inspect-main.ts';

interface ShownChange {
  readonly before: MainInspection;
  readonly after: MainInspection;
  /** The first of the changed files, relative to the top of the main checkout. */
  readonly paths: readonly string[];
}

/** The maximum number of diff lines, and of commits, in the text for the user, who can see the rest with git. */
const MOST_LINES = 80;
const MOST_COMMITS = 10;
/** The maximum number of paths in one command. If there are more, the command uses `.` instead. */
const MOST_IN_COMMAND = 20;

async function diffText(git: Git, main: string, { before, paths }: ShownChange): Promise<readonly string[]> {
  if (before.head === null || paths.length === 0) return [];
  const args = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', before.head, '--', ...paths];
  const shown = await git(main, args).catch(() => null);
  if (shown?.ok !== true || shown.out === '') return [];
  const lines = shown.out.trimEnd().split('\n');
  const more = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`and ${String(more)} more lines`] : [])];
}

async function commitsText(git: Git, main: string, { before, after }: ShownChange): Promise<readonly string[]> {
  if (before.head === null || after.head === null || before.head === after.head) return [];
  const args = ['log', '--oneline', '--no-color', `--max-count=${String(MOST_COMMITS)}`];
  const shown = await git(main, [...args, `${before.head}..${after.head}`, '--']).catch(() => null);
  return shown?.ok === true && shown.out !== '' ? ['Commits since:', ...shown.out.trimEnd().split('\n')] : [];
}

/** Returns the commands that undo the change. The undone work can be recovered from the stash and the reflog. */
function undoCommands(main: string, { before, after, paths }: ShownChange): readonly string[] {
  const at = `git -C ${shellWord(main)}`;
  const dirty = paths.filter((name) => after.files[name] !== undefined);
  const named =
    dirty.length > MOST_IN_COMMAND
      ? ['.']
      : dirty.map((name) => shellWord(/[*?[\\:]/.test(name) ? `:(literal)${name}` : name));
  const stash = dirty.length === 0 ? [] : [`${at} stash push --include-untracked -- ${named.join(' ')}`];
  if (before.head === null) return stash;
  if (before.branch !== after.branch)
    return [...stash, `${at} switch ${before.branch === null ? `--detach ${before.head}` : shellWord(before.branch)}`];
  return before.head === after.head ? stash : [...stash, `${at} reset --keep ${before.head}`];
}

/** Returns the diff of what changed in the main checkout, and the commands that undo it, as text for people. */
export async function showMainChange(git: Git, main: string, change: ShownChange): Promise<string> {
  const [diff, commits] = await Promise.all([diffText(git, main, change), commitsText(git, main, change)]);
  const undo = undoCommands(main, change);
  return [...commits, ...diff, ...(undo.length === 0 ? [] : ['To undo it:', ...undo.map((one) => `  ${one}`)])].join(
    '\n',
  );
}
