import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createGit, type Git } from '#io/git/plumbing/git.ts';
import { createProcesses } from '#io/process/process.ts';
import type { Processes } from '#protocol/services.ts';

/** The engine's process runner, but without the git settings of the machine and the user. */
const alone: Processes = {
  run: (request, ...rest) =>
    createProcesses().run(
      { ...request, env: { ...request.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' } },
      ...rest,
    ),
};

export const realGit: Git = createGit(alone);

export interface GitFolder {
  readonly at: string;
  /** Runs git with the folder's configured identity; throws if git fails. */
  git(...args: readonly string[]): string;
  put(name: string, content: string | Uint8Array): void;
  /** Commits everything in the folder and returns the new commit. */
  commit(message: string): string;
  /** Installs a hook. `script` is a shell script without its first line. */
  hook(name: string, script: string): void;
}

export function gitFolder(at: string): GitFolder {
  mkdirSync(at, { recursive: true });
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.org', ...args], {
      cwd: at,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    }).trimEnd();
  const put = (name: string, content: string | Uint8Array): void => {
    mkdirSync(path.dirname(path.join(at, name)), { recursive: true });
    writeFileSync(path.join(at, name), content);
  };
  const commit = (message: string): string => {
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD');
  };
  const hook = (name: string, script: string): void => {
    const file = path.resolve(at, git('rev-parse', '--git-path', `hooks/${name}`));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  };
  return { at, git, put, commit, hook };
}

/** Creates a repository on `main` with its own git identity. */
export function newRepository(at: string): GitFolder {
  const folder = gitFolder(at);
  folder.git('init', '-q', '-b', 'main');
  folder.git('config', 'user.name', 'n');
  folder.git('config', 'user.email', 'n@example.org');
  return folder;
}
