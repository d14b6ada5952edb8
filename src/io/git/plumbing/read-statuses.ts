import { availableParallelism } from 'node:os';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { GIT_ENV_NAMES, gitEnvironment, SAFE_SETTINGS } from '#protocol/git.ts';
import type { Processes } from '#protocol/services.ts';
import { newId } from '../../clock/identity.ts';
import { after } from '../../clock/long-timeout.ts';
import type { Git } from './git.ts';
import { hiddenChanges } from './hidden-changes.ts';
import { parseStatus, type ReadStatus, readStatus, statusArguments, type SubmoduleChanges } from './read-status.ts';

/** Reads the status of one worktree; `git` is used where the status has not been read together with others. */
export type StatusReader = (git: Git, worktree: string) => Promise<ReadStatus>;

interface StatusesParts {
  readonly processes: Processes;
  readonly worktrees: readonly string[];
  readonly submodules?: SubmoduleChanges;
  /** The number of shells that run at the same time. */
  readonly atOnce?: number;
  /** Milliseconds after which worktrees without an answer are read one by one, each with its own time limit. */
  readonly limitMs?: number;
  readonly platform?: NodeJS.Platform;
}

const LIMIT_MS = 2_000;

/** The number of worktrees below which one git process for each is as fast. */
const FEWEST = 4;

/**
 * Returns a shell script that runs `git status` in each folder. Each answer ends with the mark, the exit code, and 0 if
 * git has a file there whose changes it does not show, between NUL characters. The settings and arguments are constants,
 * so nothing in them has to be quoted.
 */
const scriptOf = (settings: readonly string[], status: readonly string[]): string => {
  const git = `git -C "$place" ${settings.join(' ')}`;
  const flagged = `${git} ls-files -v 2>/dev/null | LC_ALL=C grep -q '^[a-zS]'`;
  return `mark=$1; shift; for place do ${git} ${status.join(' ')} 2>/dev/null; code=$?; ${flagged}; printf '\\0%s %d %d\\0' "$mark" $code $?; done`;
};

/** Splits the list into this many parts whose lengths differ by at most one. */
const split = <Item>(items: readonly Item[], parts: number): readonly (readonly Item[])[] =>
  Array.from({ length: parts }, (_, part) => items.filter((_item, index) => index % parts === part));

/** Returns a function that takes the next part of the output, and calls `onAnswer` for each complete answer in it. */
function createSplitter(
  mark: string,
  onAnswer: (text: string, codes: readonly number[]) => void,
): (text: string) => void {
  const begin = `\0${mark} `;
  let rest = '';
  let from = 0;
  return (text) => {
    rest += text;
    for (let at = rest.indexOf(begin, from); at !== -1; at = rest.indexOf(begin)) {
      const end = rest.indexOf('\0', at + begin.length);
      if (end === -1) return;
      onAnswer(
        rest.slice(0, at),
        rest
          .slice(at + begin.length, end)
          .split(' ')
          .map(Number),
      );
      rest = rest.slice(end + 1);
    }
    // The beginning of a mark may be at the end of this part.
    from = Math.max(0, rest.length - begin.length);
  };
}

/** A status that was read together with others. `mayHide`: the index may hide changes from it. */
interface SharedStatus {
  readonly status: ReadStatus;
  readonly mayHide: boolean;
}

type OnStatus = (worktree: string, shared: SharedStatus | null) => void;

/**
 * Runs `git status` in several worktrees with one shell, until the signal is aborted. Calls `onStatus` in their order;
 * null if git failed.
 */
async function runShell(
  { processes, submodules = 'within' }: StatusesParts,
  worktrees: readonly string[],
  signal: AbortSignal,
  onStatus: OnStatus,
): Promise<void> {
  const mark = newId(16);
  const left = worktrees.values();
  const take = createSplitter(mark, (text, [code, flagged]) => {
    const { value } = left.next();
    if (value !== undefined) onStatus(value, code === 0 ? { status: parseStatus(text), mayHide: flagged === 0 } : null);
  });
  const script = scriptOf(SAFE_SETTINGS, statusArguments(submodules));
  await processes.run(
    {
      argv: ['/bin/sh', '-c', script, 'sh', mark, ...worktrees],
      cwd: '/',
      env: gitEnvironment('status'),
      envNames: GIT_ENV_NAMES,
      outputLimit: 0,
      stderr: 'ignored',
    },
    signal,
    take,
  );
}

/** Reads the status of worktrees with as many shells as there are processors. Ends in bounded time. */
function readTogether(parts: StatusesParts, worktrees: readonly string[], onStatus: OnStatus): void {
  const over = new AbortController();
  const giveUp = (some: readonly string[]): void => {
    for (const worktree of some) onStatus(worktree, null);
  };
  const stop = after(parts.limitMs ?? LIMIT_MS, () => {
    over.abort();
    giveUp(worktrees);
  });
  const shells = split(worktrees, Math.min(worktrees.length, parts.atOnce ?? availableParallelism()));
  const ended = shells.map((part) =>
    runShell(parts, part, over.signal, onStatus)
      .catch(() => undefined)
      .then(() => giveUp(part)),
  );
  void Promise.all(ended).then(stop);
}

/** Adds the changes that flags of the index hide from `git status` to the unstaged ones. */
async function withHidden(git: Git, worktree: string, status: ReadStatus): Promise<ReadStatus> {
  const hidden = 'failed' in status ? [] : await hiddenChanges(git, worktree);
  if ('failed' in status || hidden.length === 0) return status;
  const records = hidden.map((path) => ({ path, text: `1 .M N... hidden ${path}` }));
  return { ...status, unstaged: [...status.unstaged, ...hidden], records: [...status.records, ...records] };
}

/**
 * Returns a function that reads the status of a worktree. The first call reads all the listed worktrees together,
 * because a shell starts git several times faster than this process does. A worktree whose status was not obtained like
 * this is read by a process of its own, which also says why git fails. Changes that flags of the index hide from
 * `git status` are among the unstaged ones.
 */
export function readStatuses(parts: StatusesParts): StatusReader {
  const { worktrees, submodules = 'within', platform = process.platform } = parts;
  const all = [...new Set(worktrees)];
  const answers = new Map(all.map((worktree) => [worktree, Promise.withResolvers<SharedStatus | null>()]));
  const isTogether = platform !== 'win32' && all.length >= FEWEST;
  let isStarted = false;
  const start = (): void => {
    isStarted = true;
    readTogether(parts, all, (worktree, shared) => answers.get(worktree)?.resolve(shared));
  };
  return async (git, worktree) => {
    if (isTogether && !isStarted) start();
    const shared = isTogether ? ((await answers.get(worktree)?.promise) ?? null) : null;
    if (shared?.mayHide === false) return shared.status;
    return withHidden(git, worktree, shared?.status ?? (await readStatus(git, worktree, submodules)));
  };
}

/**
 * Returns a text that differs after each change of the work in a worktree: a commit, or an edit of an uncommitted file.
 * Empty if the status could not be read.
 */
export async function workPrint(worktree: string, status: ReadStatus): Promise<string> {
  if ('failed' in status) return '';
  const files = await Promise.all(
    status.records.map(async ({ path: name, text }) => {
      const found = await lstat(path.join(worktree, name), { bigint: true }).catch(() => null);
      return found === null ? text : `${text} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
    }),
  );
  return [status.head, ...files].join('\0');
}
