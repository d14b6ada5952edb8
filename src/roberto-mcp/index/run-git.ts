import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

const NAME = process.platform === 'win32' ? 'git.exe' : 'git';

function canStart(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the path of git, or null if it is not found. Searches only the absolute folders of `PATH`: relative folders,
 * and the current folder, which Windows searches first, could contain a program supplied by the repository.
 */
export function gitProgram(searched: string = process.env['PATH'] ?? ''): string | null {
  const folders = searched.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, NAME)).find(canStart) ?? null;
}

/**
 * Git options for untrusted repositories: their configuration must not start programs, and a folder that looks like a
 * bare repository is not used as one.
 */
const SAFE = [
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.quotePath=false'],
  ...['-c', 'safe.bareRepository=explicit'],
];

/** Environment for read-only git: no optional locks, no prompts, no download of objects that a partial clone lacks. */
export const GIT_ENVIRONMENT = {
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
} as const;

const MAX_OUTPUT = 256 * 1_048_576;

const TIMEOUT_MS = 30_000;

/** Runs git in a folder and returns its standard output, or null if it fails or takes too long. */
export function runGit(cwd: string, args: readonly string[]): Promise<string | null> {
  const git = gitProgram();
  if (git === null) return Promise.resolve(null);
  return new Promise((resolve) => {
    execFile(
      git,
      [...SAFE, ...args],
      {
        cwd,
        maxBuffer: MAX_OUTPUT,
        timeout: TIMEOUT_MS,
        encoding: 'utf8',
        env: { ...process.env, ...GIT_ENVIRONMENT },
      },
      (error, stdout) => resolve(error === null ? stdout : null),
    );
  });
}
