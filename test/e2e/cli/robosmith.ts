import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { createKeySearch, describeLeaks } from '../../secrets/find-keys.ts';

/**
 * The program that users start. `ROBOSMITH_TEST_CLI` is the path of another entry file, for a source tree without a
 * build.
 */
export const PROGRAM =
  process.env['ROBOSMITH_TEST_CLI'] ?? fileURLToPath(new URL('../../../bin/robosmith.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Project {
  /** The absolute path of the project, with links resolved. */
  readonly folder: string;
  file(name: string): string;
  robosmith(...args: readonly string[]): Promise<Ended>;
  remove(): Promise<void>;
}

/** Creates a project in a new folder, with its own configuration folder. */
export async function project(files: Readonly<Record<string, unknown>>): Promise<Project> {
  const base = await realpath(await mkdtemp(path.join(os.tmpdir(), 'robosmith-cli-')));
  const folder = path.join(base, 'project');
  for (const [name, content] of Object.entries({ 'x.txt': '', ...scriptedAnswers(files), ...files })) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return {
    folder,
    file: (name) => path.join(folder, name),
    robosmith: (...args) => ended(start(args, folder)),
    remove: async () => {
      endHost(folder);
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * Returns an empty script beside each manifest that names `./answers.json`, because a scripted worker needs its file.
 */
function scriptedAnswers(files: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const named = Object.entries(files).filter(([, content]) =>
    (typeof content === 'string' ? content : JSON.stringify(content)).includes('./answers.json'),
  );
  return Object.fromEntries(named.map(([name]) => [path.posix.join(path.posix.dirname(name), 'answers.json'), '{}']));
}

/** Kills the project's host, which may still run because a run waits for a time. */
function endHost(folder: string): void {
  const claims = path.join(folder, '.flow', 'engine.lock');
  for (const name of existsSync(claims) ? readdirSync(claims) : []) {
    if (!name.endsWith('.json')) continue;
    const { pid, socket, released } = JSON.parse(readFileSync(path.join(claims, name), 'utf8')) as Claim;
    if (typeof socket !== 'string' || released === true) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The host has already ended.
    }
  }
}

interface Claim {
  readonly pid: number;
  readonly socket?: string | null;
  readonly released?: boolean;
}

/** Removes the API keys of the test process from the environment of the program. */
const NO_KEYS = { OPENAI_API_KEY: undefined, ANTHROPIC_API_KEY: undefined, GEMINI_API_KEY: undefined };

export function start(
  args: readonly string[],
  folder: string,
  more: Readonly<Record<string, string | undefined>> = {},
) {
  const env = {
    ...process.env,
    ...NO_KEYS,
    ROBOSMITH_CONFIG_DIR: path.join(folder, '..', 'config'),
    ...more,
    CI: undefined,
    FORCE_COLOR: undefined,
    NO_COLOR: '1',
  };
  return spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

export async function ended(child: ReturnType<typeof start>): Promise<Ended> {
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text.out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text.err += part));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const leaks = createKeySearch(inject('testKeys')).inText(text.out + text.err, 'what a command printed');
  if (leaks.length > 0) throw new Error(`a key leaked\n${describeLeaks(leaks)}`);
  return { code, ...text };
}

/** Returns the commands that an error or a report suggests as the next ones, each as a list of arguments. */
export const nextCommands = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/^ +robosmith (.+)$/gm)].map(([, line = '']) =>
    [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? ''),
  );

export const to = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

const HALT = to('FAIL_DEFAULT', 'HALT_AND_FLAG');

/** Returns a manifest with two scripted blocks around the project's tests, and a node that is called when they fail. */
export const manifest = (test: readonly string[], more: object = {}) => ({
  version: 1,
  entry: 'Main',
  commands: { test },
  workers: { 'Worker:A': { kind: 'scripted', answers: './answers.json' } },
  nodes: {
    Main: {
      entry_block: 'Make',
      blocks: {
        Make: { worker: 'Worker:A', transitions: [to('SUCCESS', 'JUMP:Test'), HALT] },
        Test: { worker: 'Internal:TestRunner', transitions: [to('SUCCESS', 'RETURN'), HALT] },
        Last: { worker: 'Worker:A', transitions: [to('SUCCESS', 'RETURN'), HALT] },
        Odd: { worker: 'Worker:A', transitions: [to('NEVER', 'RETURN'), to('OTHER', 'JUMP:Last')] },
      },
    },
  },
  ...more,
});

export const ANSWERS = {
  'Worker:A': [{ signal: 'SIGNAL:SUCCESS', append: [{ type: 'CODE_OUTPUT', content: 'made' }] }],
};

export const NODE = process.execPath;
