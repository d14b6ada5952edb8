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
// An engine host is started as this program is.
process.argv[1] = PROGRAM;

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A project whose commands are executed in this process, by the built command line. */
export interface CommandProject {
  readonly folder: string;
  file(name: string): string;
  write(name: string, content: unknown): void;
  writeAt(folder: string, name: string, text: string): void;
  read(name: string): string;
  git(...args: readonly string[]): string;
  robosmith(...args: readonly string[]): Promise<Said>;
  /** The same, with another process around it. */
  as(io: Partial<CliIo>, ...args: readonly string[]): Promise<Said>;
  /** Keeps the project as it is now; `restore` brings it back, at the same place. */
  keep(): void;
  restore(): void;
  /** Forgets what the user has trusted. */
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
    // The engine looks for what the user has trusted where this process would.
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

/** What is there of files below a folder, without git's own and what a run keeps for itself. */
export function filesBelow(folder: string, below = ''): readonly string[] {
  return readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(below, entry.name);
    if (entry.isDirectory()) return entry.name === '.git' || entry.name === '.cache' ? [] : filesBelow(folder, name);
    return entry.isFile() ? [`${name}: ${readFileSync(path.join(folder, name), 'utf8')}`] : [name];
  });
}
