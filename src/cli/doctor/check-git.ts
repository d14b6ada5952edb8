import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { atLeast, fail, ok, warn, type Check } from './check.ts';

/** `git merge-tree --write-tree`, on which the conflict scan stands, came with it. */
const LEAST = '2.38.0';

export async function checkGit(): Promise<Check> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], { timeout: 10_000 });
    const version = /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? '0';
    return atLeast(version, LEAST)
      ? ok('git', `git ${version}`)
      : warn('git', `git ${version}`, `Sessions with worktrees need git ${LEAST} or newer.`);
  } catch {
    return fail('git', 'git was not found', 'Install git and make sure that it is on the PATH.');
  }
}
