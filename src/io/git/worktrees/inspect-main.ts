import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { MainChange } from '#protocol/step-watch.ts';
import type { WorktreeRefusal } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import { gitRefused } from './git-refusal.ts';
import { readStatus, type Status } from '../plumbing/read-status.ts';

/**
 * Folders in which the engine itself writes all the time. They may be at any depth, since the project may be a
 * subfolder of its repository.
 */
const OURS = ['.flow/', '.vision/logs/'];

const isOurs = (name: string): boolean => OURS.some((folder) => `/${name}/`.includes(`/${folder}`));

/** The observed state of the main checkout, which a session must not change. Plain data. */
export interface MainInspection {
  readonly head: string | null;
  /** The branch that is checked out; null if HEAD is detached. */
  readonly branch: string | null;
  /** A hash of what is staged. */
  readonly index: string;
  /** A hash of everything that differs from the last commit, content included. */
  readonly status: string;
  /**
   * The changed files by path: git's two status letters, and a fingerprint that differs after each change of the file.
   */
  readonly files: Readonly<Record<string, { readonly signs: string; readonly print: string }>>;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

async function fingerprintOf(file: string): Promise<string> {
  const found = await lstat(file, { bigint: true }).catch(() => null);
  return found === null ? 'gone' : [found.ino, found.size, found.mtimeNs, found.mode].join('-');
}

const signsOf = (text: string): string => (text.startsWith('?') ? '??' : (text.split(' ')[1] ?? ''));

/**
 * Returns the part of a status record about the index: the staged status, mode and hash, without the state of the
 * working tree.
 */
const stagedPart = (text: string): string => {
  const [, signs = '', , ...fields] = text.split(' ');
  return signs.startsWith('.') || text.startsWith('?')
    ? ''
    : [signs.charAt(0), fields[1], fields[4], ...fields.slice(5)].join(' ');
};

async function lookFrom(repository: string, { head, branch, records }: Status): Promise<MainInspection> {
  const counted = records.filter(({ path: name }) => !isOurs(name));
  const files = await Promise.all(
    counted.map(async ({ path: name, text }) => {
      return [name, { signs: signsOf(text), print: await fingerprintOf(path.join(repository, name)) }] as const;
    }),
  );
  return {
    head,
    branch,
    index: hashOf(counted.map(({ text }) => stagedPart(text)).join('\0')),
    status: hashOf([...counted.map(({ text }) => text), ...files.map(([, { print }]) => print)].join('\0')),
    files: Object.fromEntries(files),
  };
}

/**
 * Observes the main checkout with one `git status` and the sizes and times of changed files. This is cheap enough to do
 * before and after every block.
 */
export async function inspectMain(
  git: Git,
  repository: string,
): Promise<({ readonly kind: 'seen' } & MainInspection) | WorktreeRefusal<'git_failed'>> {
  const status = await readStatus(git, repository);
  if ('failed' in status) return gitRefused('git status of the main checkout', status.failed);
  return { kind: 'seen', ...(await lookFrom(repository, status)) };
}

const SIGNS: Readonly<Record<string, string>> = {
  '??': 'untracked',
  '.M': 'changed',
  '.D': 'deleted',
  'M.': 'staged',
  'A.': 'added',
};

const stateOf = (inspection: MainInspection, name: string): string => {
  const signs = inspection.files[name]?.signs;
  return signs === undefined ? 'as committed' : (SIGNS[signs] ?? `"${signs}"`);
};

const short = (hash: string | null): string => hash?.slice(0, 12) ?? 'no commit';
const place = ({ branch, head }: MainInspection): string => `${branch ?? 'detached'} at ${short(head)}`;

function fileLine(before: MainInspection, after: MainInspection, name: string): string {
  const [was, is] = [stateOf(before, name), stateOf(after, name)];
  return was === is ? `${name}: ${is}, and changed again` : `${name}: was ${was}, is ${is}`;
}

/** Returns what changed in the main checkout between two observations; null if nothing did. */
export function compareMain(before: MainInspection, after: MainInspection): MainChange | null {
  const isMoved = before.head !== after.head || before.branch !== after.branch;
  const what = [
    ...(isMoved ? ['head' as const] : []),
    ...(before.index === after.index ? [] : ['index' as const]),
    ...(before.status === after.status ? [] : ['status' as const]),
  ];
  if (what.length === 0) return null;
  const names = [...new Set([...Object.keys(before.files), ...Object.keys(after.files)])].sort();
  const paths = names.filter((name) => {
    const [was, is] = [before.files[name], after.files[name]];
    return was?.signs !== is?.signs || was?.print !== is?.print;
  });
  const lines = paths.map((name) => fileLine(before, after, name));
  const moved = isMoved ? [`HEAD: was ${place(before)}, is ${place(after)}`] : [];
  const unseen =
    moved.length + lines.length === 0 ? ['The index has changed: a file is staged with other content'] : [];
  return { what, paths, text: [...moved, ...lines, ...unseen].join('\n') };
}
