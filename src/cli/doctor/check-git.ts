import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CliIo } from '../terminal/cli-io.ts';
import { findProgram } from './find-program.ts';
import { atLeast, fail, ok, warn, type Check } from './check.ts';

/** The minimum version of git: the first one with `git merge-tree --write-tree`, which the conflict scan uses. */
const LEAST = '2.38.0';

export async function checkGit(io: CliIo): Promise<Check> {
  try {
    const file = await findProgram('git', io.cwd, io);
    if (file === null) throw new Error('there is no git on the PATH');
    const { stdout } = await promisify(execFile)(file, ['--version'], { timeout: 10_000 });
    const version = /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? '0';
    return atLeast(version, LEAST)
      ? ok('git', `git ${version}`)
      : warn('git', `git ${version}`, `Sessions with worktrees need git ${LEAST} or newer.`);
  } catch {
    return fail('git', 'git was not found', 'Install git and make sure that it is on the PATH.');
  }
}
