import { EMAIL, lineOf, NAME, zeroSplit } from '#io/git/plumbing/quiet-git.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { COMMAND_FILES } from '#io/project/project-commands.ts';
import { STATE_FILE } from '#io/git/plumbing/state-file.ts';
import type { ForeignCommit } from '#protocol/session-api.ts';
import { configurationIn } from '#workers/index.ts';
import type { Executable } from './executable.ts';

/** Returns the merge base of a commit and the current checkout; null if there is none. */
async function forkPoint(git: Git, place: string, commit: string): Promise<string | null> {
  const base = await git(place, ['merge-base', '--end-of-options', 'HEAD', commit]);
  return base.ok ? lineOf(base) : null;
}

const OWN_NAME = `${NAME} <${EMAIL}>`;

/** Returns the authors that the commits state. Anybody can write any name, so RoboSmith's own says so. */
async function authorsOf(git: Git, place: string, commit: string, base: string | null): Promise<readonly string[]> {
  const range = base === null ? commit : `${base}..${commit}`;
  const log = ['log', '--no-show-signature', '--format=%an <%ae>', '--end-of-options', range, '--'];
  const names = (await git(place, log)).out.split('\n').filter((name) => name !== '');
  const isLike = (name: string): boolean => name === OWN_NAME || name.toLowerCase().includes(NAME.toLowerCase());
  return [...new Set(names)].map((name) =>
    isLike(name) ? `${name} (a name that RoboSmith gives to its own commits, and that anybody can write)` : name,
  );
}

async function changedFiles(
  git: Git,
  place: string,
  commit: string,
  base: string | null,
): Promise<readonly string[] | null> {
  if (base === null) return null;
  const diff = ['diff', '--name-only', '--no-renames', '--no-ext-diff', '--no-textconv', '-z', base, commit];
  const changed = await git(place, [...diff, '--']);
  return changed.ok ? zeroSplit(changed.out).filter((file) => file !== STATE_FILE) : null;
}

const lowerCase = (name: string): string => name.toLowerCase();

/**
 * Returns the changed files that decide what is executed. First come those that a command names by their path, or that
 * define the project's commands: their number is limited by the list, so that no other file can push them out of sight.
 * Then come files that bear a name of a command, and those that configure agents, editors and other programs.
 */
function filesToSeeFirst(files: readonly string[], executables: readonly Executable[]): readonly string[] {
  const words = executables.flatMap(({ command }) => command.split(/[\s"'=:,;()#]+/));
  const paths = new Set(words.map((word) => word.replace(/^(?:\.\/)+/, '')));
  const names = new Set(words.map((word) => word.split('/').at(-1) ?? ''));
  const rankOf = (file: string): number | null => {
    if (paths.has(file) || COMMAND_FILES.has(file)) return 0;
    if (names.has(file.split('/').at(-1) ?? '')) return 1;
    return configurationIn(file, 'answer', lowerCase).length > 0 ? 2 : null;
  };
  return [0, 1, 2].flatMap((rank) => files.filter((file) => rankOf(file) === rank));
}

/** Collects what a person must know about a commit from elsewhere. Executes and writes nothing. */
export async function inspectCommit(
  git: Git,
  place: string,
  { branch, commit }: Pick<ForeignCommit, 'branch' | 'commit'>,
  executables: readonly Executable[],
): Promise<ForeignCommit> {
  const base = await forkPoint(git, place, commit);
  const authors = await authorsOf(git, place, commit, base);
  const files = await changedFiles(git, place, commit, base);
  return { branch, commit, base, authors, files, first: filesToSeeFirst(files ?? [], executables), executables };
}
