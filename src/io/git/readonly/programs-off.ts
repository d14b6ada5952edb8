import type { Git } from '../plumbing/git.ts';
import { zeroSplit } from '../plumbing/quiet-git.ts';

/** The settings of a repository as git sees them, each key with its last value. Keys are in git's canonical case. */
export type GitSettings = ReadonlyMap<string, string>;

/** Reads all settings that apply in a folder; null if git can't read them. */
export async function readSettings(git: Git, folder: string): Promise<GitSettings | null> {
  const listed = await git(folder, ['config', '-z', '--list']);
  if (!listed.ok) return null;
  return new Map(
    zeroSplit(listed.out).map((entry) => {
      const end = entry.indexOf('\n');
      return end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
    }),
  );
}

/** Returns the middle parts of keys such as `filter.<name>.clean`. */
const named = (settings: GitSettings, section: string, variable: RegExp): readonly string[] => [
  ...new Set(
    [...settings.keys()].flatMap((key) => {
      const end = key.lastIndexOf('.');
      const isThere = key.startsWith(`${section}.`) && end > section.length && variable.test(key.slice(end + 1));
      return isThere ? [key.slice(section.length + 1, end)] : [];
    }),
  ),
];

export const filtersIn = (settings: GitSettings): readonly string[] =>
  named(settings, 'filter', /^(?:clean|smudge|process)$/);

export const mergeDriversIn = (settings: GitSettings): readonly string[] => named(settings, 'merge', /^driver$/);

/** Returns whether worktrees of the repository can have different settings. */
export const differsByWorktree = (settings: GitSettings): boolean =>
  settings.get('extensions.worktreeconfig') === 'true' || [...settings.keys()].some((key) => /^includeif\./.test(key));

/** A merge driver of ours with the result of git's own text merge. */
const TEXT_MERGE = 'git merge-file --marker-size=%L %A %O %B';

type Setting = readonly [key: string, value: string];

/** Settings that keep git from starting programs, from the network and from writing outside of the temporary files. */
const QUIET: readonly Setting[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.safecrlf', 'false'],
  ['core.splitIndex', 'false'],
  ['core.quotePath', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['merge.renormalize', 'false'],
  ['merge.conflictStyle', 'merge'],
  ['submodule.recurse', 'false'],
];

/**
 * Returns variables for git by which no filter and no merge driver of the settings runs: a file gets the content that
 * is on disk, and is merged as text.
 */
export function programsOff(filters: readonly string[], drivers: readonly string[]): Readonly<Record<string, string>> {
  const pairs: readonly Setting[] = [
    ...QUIET,
    ...filters.flatMap((name): readonly Setting[] => [
      [`filter.${name}.clean`, ''],
      [`filter.${name}.smudge`, ''],
      [`filter.${name}.process`, ''],
      [`filter.${name}.required`, 'false'],
    ]),
    ...drivers.map((name): Setting => [`merge.${name}.driver`, TEXT_MERGE]),
  ];
  const numbered = pairs.flatMap(([key, value], index): readonly Setting[] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...Object.fromEntries(numbered), GIT_CONFIG_COUNT: String(pairs.length) };
}
