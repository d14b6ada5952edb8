import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A clone of the sample repository in a temporary folder, isolated from the user's settings. */
export interface Stage {
  readonly clone: string;
  /**
   * Runs RoboSmith's command line in the clone. Messages for people always go to the screen; `output` determines
   * whether stdout is shown or returned.
   */
  robosmith(args: readonly string[], output: 'shown' | 'kept'): { readonly exitCode: number; readonly stdout: string };
  git(...args: readonly string[]): string;
  /** Runs the sample repository's tests and returns their log. */
  test(): string;
  leave(): void;
}

const at = (place: string): string => fileURLToPath(new URL(place, import.meta.url));

/** The built program; if there is no build, the TypeScript sources, which Node runs directly. */
const program = existsSync(at('../dist/cli/main.js')) ? at('../bin/robosmith.js') : at('../src/cli/main.ts');

export function setStage(): Stage {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'robosmith-demo-')));
  const origin = path.join(folder, 'split-bill.git');
  const clone = path.join(folder, 'split-bill');
  const env = {
    ...process.env,
    ROBOSMITH_CONFIG_DIR: path.join(folder, 'config'),
    XDG_CACHE_HOME: path.join(folder, 'cache'),
    // Node writes compiled code when a process ends, which would create the removed folder again.
    NODE_DISABLE_COMPILE_CACHE: '1',
    GIT_CONFIG_GLOBAL: os.devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Demo',
    GIT_AUTHOR_EMAIL: 'demo@example.invalid',
    GIT_COMMITTER_NAME: 'Demo',
    GIT_COMMITTER_EMAIL: 'demo@example.invalid',
  };
  const git = (cwd: string, args: readonly string[]): string =>
    execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const leave = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    cpSync(at('sample'), origin, { recursive: true });
    git(origin, ['init', '--quiet', '--initial-branch=main']);
    git(origin, ['add', '--all']);
    git(origin, ['commit', '--quiet', '--message', 'Split a bill']);
    git(folder, ['clone', '--quiet', origin, clone]);
  } catch (error) {
    leave();
    throw error;
  }
  return {
    clone,
    leave,
    git: (...args) => git(clone, args),
    test: () => spawnSync(process.execPath, ['--test'], { cwd: clone, env, encoding: 'utf8' }).stdout,
    robosmith: (args, output) => {
      // Messages for people are redirected to stdout, so that a pipe receives all text in the right order.
      const { status, stdout } = spawnSync(process.execPath, [program, ...args], {
        cwd: clone,
        env,
        encoding: 'utf8',
        stdio: ['ignore', output === 'kept' ? 'pipe' : process.stdout.fd, process.stdout.fd],
        maxBuffer: 64 * 1024 * 1024,
      });
      return { exitCode: status ?? 1, stdout: stdout ?? '' };
    },
  };
}
