import { lstat, mkdir, readlink, symlink, unlink } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import type { Git } from '../plumbing/git.ts';
import { safePath } from '../../files/safe-path.ts';
import { copyTree } from './copy-tree.ts';
import { type Match, matchPaths } from './match-paths.ts';

/** How a file of the main worktree gets into a session's worktree. */
export type CarryHow = 'copy' | 'link' | 'share';

export interface CarriedFile {
  readonly how: CarryHow;
  /** The path relative to the worktree, with `/`; for `no_match` the pattern. */
  readonly path: string;
  readonly outcome:
    'done' | 'no_match' | 'tracked' | 'not_ignored' | 'already_there' | 'unsafe' | 'links_left' | 'io_failed';
  /** A message for people; empty if the file was carried along. */
  readonly message: string;
}

interface CarryFiles {
  /** The tops of both worktrees: absolute paths with symbolic links resolved. */
  readonly main: string;
  readonly worktree: string;
  readonly patterns: readonly { readonly how: CarryHow; readonly pattern: string }[];
}

interface Rules {
  /** Returns the tracked path that equals this path or lies below it; null if there is none. */
  tracked(name: string): string | null;
  isIgnored(name: string, isFolder: boolean): Promise<boolean>;
}

async function rulesOf(git: Git, { main, worktree }: CarryFiles): Promise<Rules> {
  const names = new Set<string>();
  for (const place of [worktree, main])
    for (const name of (await git(place, ['ls-files', '-z'])).out.split('\0')) names.add(name);
  return {
    tracked: (name) => (names.has(name) ? name : ([...names].find((other) => other.startsWith(`${name}/`)) ?? null)),
    isIgnored: async (name, isFolder) => {
      const asked = isFolder ? `${name}/` : name;
      // `check-ignore` rejects literal pathspecs. Names that `checkRelativePath` accepts have no pathspec magic.
      const options = { env: { GIT_LITERAL_PATHSPECS: '0' } };
      return (await git(worktree, ['check-ignore', '--quiet', '--', asked], options)).ok;
    },
  };
}

const WORDS: Readonly<Record<CarryHow, string>> = { copy: 'copied', link: 'linked', share: 'shared' };

/** Returns the reason why a file of the main worktree must not be carried along, or null if it may be. */
async function hindrance(
  rules: Rules,
  how: CarryHow,
  { path: name, kind, why }: Match,
): Promise<Pick<CarriedFile, 'outcome' | 'message'> | null> {
  const not = `${name} is not ${WORDS[how]}`;
  if (kind === 'refused') return { outcome: 'unsafe', message: `${not}: ${why}` };
  const tracked = rules.tracked(name);
  if (tracked !== null)
    return {
      outcome: 'tracked',
      message: `${not}: git tracks ${tracked}, so the worktree already has the committed version`,
    };
  // Git doesn't treat a link to a folder as a folder, so the rule `node_modules/` doesn't match it.
  const isFolder = kind === 'folder' && how !== 'link';
  if (await rules.isIgnored(name, isFolder)) return null;
  const isRuleForFolders = kind === 'folder' && how === 'link' && (await rules.isIgnored(name, true));
  const next = isRuleForFolders
    ? `the rule in .gitignore matches only folders, and git does not treat a link as a folder. Remove the "/" at the end of the rule, or use "share"`
    : 'git does not ignore it in the worktree, so it would be committed with the work. Add it to .gitignore on the base branch';
  return { outcome: 'not_ignored', message: `${not}: ${next}` };
}

async function link(main: string, worktree: string, { path: name, kind }: Match): Promise<void> {
  const place = path.join(worktree, name);
  await mkdir(path.dirname(place), { recursive: true });
  await symlink(path.join(main, name), place, kind === 'folder' ? 'junction' : 'file');
}

async function carryOne(
  { main, worktree }: CarryFiles,
  rules: Rules,
  how: CarryHow,
  match: Match,
): Promise<CarriedFile> {
  const { path: name } = match;
  const hindered = await hindrance(rules, how, match);
  if (hindered !== null) return { how, path: name, ...hindered };
  try {
    // A committed link in the worktree may lead anywhere.
    const place = await safePath(worktree, name);
    if ((await lstat(place).catch(() => null)) !== null)
      return { how, path: name, outcome: 'already_there', message: `${name} already exists, and was not changed` };
    const left = how === 'link' ? [] : await copyTree(main, worktree, name);
    if (how === 'link') await link(main, worktree, match);
    if (left.length === 0) return { how, path: name, outcome: 'done', message: '' };
    const message = `${name} is ${WORDS[how]} without ${left.length} links that lead out of the repository: ${left.slice(0, 5).join(', ')}`;
    return { how, path: name, outcome: 'links_left', message };
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    const outcome = RoboSmithError.is(thrown, 'unsafe_path') ? 'unsafe' : 'io_failed';
    return { how, path: name, outcome, message: `${name} is not ${WORDS[how]}: ${text}` };
  }
}

const noMatch = (how: CarryHow, pattern: string, main: string): string =>
  `"${how}" names ${pattern}, but nothing in ${main} matches it`;

/**
 * Copies, links or shares ignored files of the main worktree with another worktree. Files for which this is not
 * allowed, and patterns without a match, are reported in the result.
 */
export async function carryFiles(git: Git, files: CarryFiles): Promise<readonly CarriedFile[]> {
  if (files.patterns.length === 0) return [];
  const rules = await rulesOf(git, files);
  const carried: CarriedFile[] = [];
  for (const { how, pattern } of files.patterns) {
    const matches = await matchPaths(files.main, pattern);
    const message = noMatch(how, pattern, files.main);
    if (matches.length === 0) carried.push({ how, path: pattern, outcome: 'no_match', message });
    for (const match of matches) carried.push(await carryOne(files, rules, how, match));
  }
  return carried;
}

/**
 * Returns what `carryFiles` would leave out in a new worktree, as messages for people. The rules of the main worktree
 * stand for those of the new one, which may start from another branch.
 */
export async function foreseeLeftOut(
  git: Git,
  main: string,
  patterns: CarryFiles['patterns'],
): Promise<readonly string[]> {
  if (patterns.length === 0) return [];
  const rules = await rulesOf(git, { main, worktree: main, patterns });
  const messages: string[] = [];
  for (const { how, pattern } of patterns) {
    const matches = await matchPaths(main, pattern);
    if (matches.length === 0) messages.push(noMatch(how, pattern, main));
    for (const match of matches) {
      const hindered = await hindrance(rules, how, match);
      if (hindered !== null) messages.push(hindered.message);
    }
  }
  return messages;
}

/**
 * Removes the links that `carryFiles` has made to files of the main worktree, so that a command which deletes files
 * can't reach them. Returns their paths.
 */
export async function removeLinks(main: string, worktree: string, patterns: readonly string[]) {
  const removed: string[] = [];
  for (const pattern of patterns)
    for (const { path: name } of await matchPaths(main, pattern)) {
      const place = path.join(worktree, name);
      const target = await readlink(place).catch(() => null);
      if (target === null || path.resolve(path.dirname(place), target) !== path.join(main, name)) continue;
      await unlink(place);
      removed.push(name);
    }
  return removed;
}
