import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CliIo } from '#cli/terminal/cli-io.ts';
import { fakeIo } from '../support/fake-io.ts';
import { PROGRAM } from '../e2e/cli/robosmith.ts';

const BUILT = pathToFileURL(fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url)));
const { main } = (await import(BUILT.href)) as { main(argv: readonly string[], io: CliIo): Promise<number> };
// The engine starts a host with the program in `argv[1]` of this process, so `argv[1]` must be the built command line.
process.argv[1] = PROGRAM;

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A project in which the built command line executes commands within the test's process. */
export interface CommandProject {
  readonly folder: string;
  file(name: string): string;
  write(name: string, content: unknown): void;
  writeAt(folder: string, name: string, text: string): void;
  read(name: string): string;
  git(...args: readonly string[]): string;
  robosmith(...args: readonly string[]): Promise<Said>;
  /** Runs a command with a changed environment or terminal. */
  as(io: Partial<CliIo>, ...args: readonly string[]): Promise<Said>;
  /** Saves the files of the project; `restore` restores them at the same path. */
  keep(): void;
  restore(): void;
  /** Removes the user's trust in the project. */
  forgetTrust(): void;
  remove(): Promise<void>;
}

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content, null, 2));

const COPIED = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true } as const;

export function commandProject(
  files: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string>> = {},
): CommandProject {
  const place = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'robosmith-declared-')));
  const [base, kept] = [path.join(place, 'base'), path.join(place, 'kept')];
  const folder = path.join(base, 'project');
  const file = (name: string): string => path.join(folder, name);
  const write = (name: string, content: unknown): void => {
    mkdirSync(path.dirname(file(name)), { recursive: true });
    writeFileSync(file(name), textOf(content));
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  const env = {
    PATH: process.env['PATH'],
    HOME: base,
    ROBOSMITH_CONFIG_DIR: path.join(base, 'config'),
    NO_COLOR: '1',
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@example.org',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@example.org',
    ...environment,
  };
  const as: CommandProject['as'] = async (more, ...args) => {
    // The engine reads the user's trust from the folder in this process's environment.
    process.env['ROBOSMITH_CONFIG_DIR'] = env.ROBOSMITH_CONFIG_DIR;
    const io = fakeIo({ cwd: folder, ...more, env: { ...env, ...more.env } });
    const code = await main(args, io);
    return { code, out: io.out(), err: io.err() };
  };
  const robosmith = (...args: readonly string[]): Promise<Said> => as({}, ...args);
  return {
    folder,
    file,
    write,
    as,
    robosmith,
    writeAt: (other, name, text) => writeFileSync(path.join(other, name), text),
    read: (name) => readFileSync(file(name), 'utf8'),
    git: (...args) => execFileSync('git', [...args], { cwd: folder, encoding: 'utf8', env }),
    keep: () => cpSync(base, kept, COPIED),
    restore: () => {
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
      cpSync(kept, base, COPIED);
    },
    forgetTrust: () => rmSync(path.join(base, 'config'), { recursive: true, force: true }),
    remove: async () => {
      if (existsSync(file('.flow'))) await robosmith('host', 'stop', '--force');
      rmSync(place, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Lists the files below a folder with their contents, except git's own and a run's caches. */
export function filesBelow(folder: string, below = ''): readonly string[] {
  return readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(below, entry.name);
    if (entry.isDirectory()) return entry.name === '.git' || entry.name === '.cache' ? [] : filesBelow(folder, name);
    return entry.isFile() ? [`${name}: ${readFileSync(path.join(folder, name), 'utf8')}`] : [name];
  });
}
