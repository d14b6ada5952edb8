import { execFile } from 'node:child_process';

/** The repository's own configuration must not start programs, and reading must take no locks. */
const SAFE = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.quotePath=false'];
const MAX_OUTPUT = 256 * 1_048_576;
const TIMEOUT_MS = 30_000;

/** Runs git in a folder and returns its output, or null if it fails. */
export function runGit(cwd: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(
      'git',
      [...SAFE, ...args],
      {
        cwd,
        maxBuffer: MAX_OUTPUT,
        timeout: TIMEOUT_MS,
        encoding: 'utf8',
        env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
      },
      (error, stdout) => resolve(error === null ? stdout : null),
    );
  });
}
