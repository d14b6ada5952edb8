import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { execa } from 'execa';

/** The commands that a user has typed so far, and the problems. */
interface Took {
  readonly commands: number;
  readonly seconds: number;
  /** The refusals and warnings that RoboSmith printed. */
  readonly stumbles: readonly string[];
}

export interface User {
  /** Folders that are searched for programs before those of the system. */
  readonly path: readonly string[];
  /**
   * Runs a command. Throws on exit codes other than 0, except code 3 of `robosmith`, which means that it waits for a
   * person.
   */
  types(program: string, ...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }>;
  took(): Took;
}

const AUTHOR = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' };
const COMMITTER = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' };

const isStumble = (text: string): boolean => /^(?:! |✗ |warning:|npm warn)/i.test(text);

/** Creates a user in a folder, without API keys and with a separate home folder. */
export function createUser(cwd: string, path: readonly string[]): User {
  let commands = 0;
  let milliseconds = 0;
  const stumbles: string[] = [];
  let before = '';
  const env = {
    ...AUTHOR,
    ...COMMITTER,
    PATH: [...path, process.env['PATH'] ?? ''].join(process.platform === 'win32' ? ';' : ':'),
    ROBOSMITH_CONFIG_DIR: join(cwd, '..', 'config'),
  };
  return {
    path,
    types: async (program, ...args) => {
      const started = performance.now();
      const ended = await execa(program, args, { cwd, env, stdin: 'ignore', reject: false, timeout: 300_000 });
      milliseconds += performance.now() - started;
      commands += 1;
      stumbles.push(...ended.stderr.split('\n').filter(isStumble));
      const code = ended.exitCode ?? 1;
      if (code !== 0 && !(program === 'robosmith' && code === 3))
        throw new Error(
          `${program} ${args.join(' ')} ended with ${String(code)}:\n${ended.stdout}\n${ended.stderr}\nBefore that:\n${before}`,
        );
      before = ended.stderr;
      return { code, out: ended.stdout };
    },
    took: () => ({ commands, seconds: milliseconds / 1000, stumbles }),
  };
}
