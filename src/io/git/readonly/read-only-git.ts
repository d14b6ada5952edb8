import { spawn } from 'node:child_process';
import { GIT_ENV, GIT_ENV_NAMES, LITERAL_NAMES } from '#protocol/git.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { messageOf } from '#protocol/message-of.ts';
import { after } from '../../clock/long-timeout.ts';
import { allowedEnvironment } from '../../process/environment.ts';
import { findProgram, searchEnvironment } from '../../process/find-program.ts';
import { isOwnGitFolder } from '../plumbing/bare-repository.ts';
import type { Git, GitAnswer } from '../plumbing/git.ts';
import { createGitShells, type GitCall } from './git-shells.ts';

/** The default timeout of one git process in milliseconds. */
const TIMEOUT_MS = 120_000;

/** No download of the objects that a partial clone lacks: the second variable works with git older than 2.44. */
const NO_NETWORK = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' } as const;

/** Starts git directly, where there is no shell. */
function start({ file, args, cwd, env, input, timeoutMs }: GitCall): Promise<GitAnswer> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    const out: Buffer[] = [];
    let err = '';
    const noLimit = after(timeoutMs, () => {
      err += `git took longer than ${timeoutMs / 1000} s and was stopped`;
      child.kill('SIGKILL');
    });
    const end = (code: number | null, more: string): void => {
      noLimit();
      resolve({ ok: code === 0, code, out: Buffer.concat(out).toString('utf8'), err: (err + more).trimEnd() });
    };
    child.stdout.on('data', (part: Buffer) => out.push(part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (err = (err + part).slice(-20_000)));
    child.on('error', (error) => end(null, messageOf(error)));
    child.on('close', (code) => end(code, ''));
    // Git may end before it has read its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** Git for commands that only read. */
interface ReadOnlyGit {
  readonly git: Git;
  close(): void;
}

/**
 * Creates a function that runs git commands which only read, at most two at a time. It starts them many times faster
 * than `createGit`, since they start no programs that would have to be tracked. `folder` takes temporary files.
 */
export async function createReadOnlyGit(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<ReadOnlyGit> {
  const parent = allowedEnvironment(environment, GIT_ENV_NAMES, process.platform);
  const found = await findProgram('git', process.cwd(), searchEnvironment(parent, process.platform));
  if ('error' in found) throw new RoboSmithError('precondition_failed', 'git was not found. Install git 2.31 or newer');
  const base = { ...parent, ...GIT_ENV, ...LITERAL_NAMES, ...NO_NETWORK };
  const shells = process.platform === 'win32' ? { run: start, close: () => undefined } : createGitShells(folder);
  const own = new Map<string, Promise<boolean>>();
  const isOwn = (directory: string): Promise<boolean> => {
    const known = own.get(directory) ?? isOwnGitFolder(directory);
    own.set(directory, known);
    return known;
  };
  return {
    git: async (directory, args, { input = '', env = {}, timeoutMs = TIMEOUT_MS } = {}) => {
      const trust = (await isOwn(directory)) ? 'all' : 'explicit';
      return shells.run({
        file: found.file,
        args: ['-c', 'core.fsmonitor=false', '-c', `safe.bareRepository=${trust}`, ...args],
        cwd: directory,
        env: { ...base, ...env },
        input,
        timeoutMs,
      });
    },
    close: () => shells.close(),
  };
}

/** Returns `git` with variables that are set for each of its processes. */
export const withVariables =
  (git: Git, variables: Readonly<Record<string, string>>): Git =>
  (directory, args, options = {}) =>
    git(directory, args, { ...options, env: { ...variables, ...options.env } });
