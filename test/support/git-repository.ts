import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import { createGit, type Git } from '#io/git/plumbing/git.ts';
import { processes } from '#io/process/process.ts';

/** The git implementation that the code under test uses. */
export const realGit: Git = createGit(processes);

/**
 * Environment variables that hide the git settings of the user and the machine. Each repository sets the identity of
 * its commits.
 */
const QUIET = { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1', GIT_EDITOR: ':', GIT_TERMINAL_PROMPT: '0' };
const LOCATIONS = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR'];

/** Applies the settings to every git process that the tests and the code under test start. */
function quietGit(): void {
  Object.assign(process.env, QUIET);
  for (const name of LOCATIONS) Reflect.deleteProperty(process.env, name);
}

export interface Repository {
  /** The folder that contains everything a test creates; `end` removes it. */
  readonly base: string;
  /** The main worktree. */
  readonly root: string;
  /** Runs git in `place` (by default the root) and returns its trimmed output; throws if it fails. */
  git(args: readonly string[], place?: string): string;
  /** Runs a git command that may fail. */
  tryGit(args: readonly string[], place?: string): void;
  put(name: string, content: string | Uint8Array, place?: string): void;
  commit(message: string, place?: string): string;
  /** Installs a hook. `script` is a shell script without its first line. */
  hook(name: string, script: string): void;
  /** Creates a worktree below the base on a new branch and returns its path. */
  linkedWorktree(name: string, branch: string): string;
  /** Changes `a.txt` differently on a new branch and on `main`, and checks out `main`. */
  diverge(branch: string): void;
  /** Returns a path below the base. */
  at(name: string): string;
  end(): Promise<void>;
}

/**
 * Creates a real repository in its own folder, with one commit (`a.txt`, `src/b.txt`) on `main` unless `isEmpty` is
 * set.
 */
export async function newRepository(
  options: { readonly name?: string; readonly isEmpty?: boolean } = {},
): Promise<Repository> {
  quietGit();
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-git-')));
  const root = path.join(base, options.name ?? 'project');
  mkdirSync(root);
  const git = (args: readonly string[], place = root): string =>
    execFileSync('git', args, { cwd: place, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  const put = (name: string, content: string | Uint8Array, place = root): void => {
    mkdirSync(path.dirname(path.join(place, name)), { recursive: true });
    writeFileSync(path.join(place, name), content);
  };
  const commit = (message: string, place = root): string => {
    git(['add', '--all'], place);
    git(['commit', '--quiet', '--allow-empty', `--message=${message}`], place);
    return git(['rev-parse', 'HEAD'], place);
  };
  git(['init', '--quiet', '--initial-branch=main']);
  git(['config', 'user.name', 'Ada']);
  git(['config', 'user.email', 'ada@example.invalid']);
  if (options.isEmpty !== true) {
    put('a.txt', 'a\n');
    put('src/b.txt', 'b\n');
    commit('First');
  }
  const at = (name: string): string => path.join(base, name);
  return {
    base,
    root,
    git,
    tryGit: (args, place) => {
      try {
        git(args, place);
      } catch {
        // The command may fail, so the error is ignored.
      }
    },
    put,
    commit,
    hook: (name, script) => {
      put(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
      chmodSync(path.join(root, '.git/hooks', name), 0o755);
    },
    linkedWorktree: (name, branch) => {
      git(['worktree', 'add', '--quiet', '-b', branch, at(name)]);
      return at(name);
    },
    diverge: (branch) => {
      git(['checkout', '--quiet', '-b', branch]);
      put('a.txt', `${branch}\n`);
      commit(branch);
      git(['checkout', '--quiet', 'main']);
      put('a.txt', 'main\n');
      commit('main');
    },
    at,
    end: () => rm(base, { recursive: true, force: true, maxRetries: 5 }),
  };
}
