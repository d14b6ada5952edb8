import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import type { Session } from '#protocol/session.ts';
import { fakeCommand, homeOf, plan, type Start, startsIn } from '../../support/agents/agent-project.ts';
import { folderPicture } from '../../support/folder-picture.ts';
import { killHard } from './hosted.ts';
import { onTerminal } from './pseudo-terminal.ts';
import { type Ended, ended, NODE, start } from './robosmith.ts';

/** A package without a manifest, in a repository with one commit, and a stand-in for `claude` on the PATH. */
export interface DoProject {
  /** The folder that contains the project. */
  readonly base: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  git(...args: readonly string[]): string;
  robosmith(...args: readonly string[]): Promise<Ended>;
  starting(...args: readonly string[]): ReturnType<typeof start>;
  onTerminal(args: readonly string[], typed: Parameters<typeof onTerminal>[2]): ReturnType<typeof onTerminal>;
  /** Sets what the agent does at each start. */
  plan(...plans: readonly object[]): Promise<void>;
  starts(): readonly Start[];
  /** Returns all files of the checkout except the state in `.flow`, and what git says about it. */
  checkout(): unknown;
  session(): Promise<Session>;
  host(): Promise<number | null>;
  remove(): Promise<void>;
}

const SPLIT = 'export const split = (cents, n) => Array.from({ length: n }, () => Math.floor(cents / n));\n';

const TEST = (...cases: readonly string[]): string =>
  [
    "import { test } from 'node:test';",
    "import { equal } from 'node:assert/strict';",
    "import { split } from './split.js';",
    "test('has a part for each', () => equal(split(900, 3).length, 3));",
    ...cases,
    '',
  ].join('\n');

const CENT = "test('nobody loses a cent', () => equal(split(1000, 3).reduce((one, other) => one + other), 1000));";

const answer = 'Done.\n\nSIGNAL:SUCCESS';

/** The agent writes a failing test first, and then the correction. */
export const TEST_FIRST = { files: { 'split.test.js': TEST(CENT) }, answer };

export const CORRECTION = {
  files: {
    'split.js':
      'export const split = (cents, n) =>\n  Array.from({ length: n }, (_, at) => Math.floor(cents / n) + (at < cents % n ? 1 : 0));\n',
  },
  answer,
};

export async function doProject(files: Readonly<Record<string, string>> = {}): Promise<DoProject> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-do-')));
  const folder = path.join(base, 'project');
  const programs = path.join(base, 'programs');
  for (const made of [folder, programs, homeOf(folder)]) await mkdir(made);
  const own = {
    'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: `"${NODE}" --test` } }),
    'split.js': SPLIT,
    'split.test.js': TEST(),
    ...files,
  };
  for (const [name, text] of Object.entries(own)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  const claude = path.join(programs, 'claude');
  await writeFile(
    claude,
    `#!/bin/sh\nexec ${fakeCommand('claude', folder)
      .map((word) => `'${word}'`)
      .join(' ')} "$@"\n`,
  );
  await chmod(claude, 0o755);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.invalid');
  git('add', '--all');
  git('commit', '--quiet', '--message=First');
  const environment = { PATH: `${programs}${path.delimiter}${process.env['PATH'] ?? ''}` };
  const starting = (...args: readonly string[]) => start(args, folder, environment);
  const robosmith = (...args: readonly string[]): Promise<Ended> => ended(starting(...args));
  const json = async (...args: readonly string[]): Promise<unknown> =>
    JSON.parse((await robosmith(...args, '--json')).out);
  const host = async (): Promise<number | null> =>
    ((await json('host', 'status')) as { readonly host: { readonly pid: number } | null }).host?.pid ?? null;
  await plan(folder, TEST_FIRST, CORRECTION);
  return {
    base,
    folder,
    environment,
    git,
    robosmith,
    starting,
    onTerminal: (args, typed) => onTerminal(folder, args, typed, environment),
    plan: (...plans) => plan(folder, ...plans),
    starts: () => startsIn(folder),
    checkout: () => ({
      files: Object.entries(folderPicture(folder)).filter(([name]) => !name.startsWith('.flow/')),
      status: git('status', '--porcelain', '--ignored', '--', ':!.flow'),
    }),
    session: async () => {
      const { sessions } = (await json('sessions')) as { readonly sessions: readonly { readonly session: Session }[] };
      const [first] = sessions;
      if (first === undefined) throw new Error('there is no session');
      return first.session;
    },
    host,
    remove: async () => {
      const pid = await host().catch(() => null);
      if (pid !== null) await killHard(pid);
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
