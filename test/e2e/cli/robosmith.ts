import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { createKeySearch, told } from '../../secrets/find-keys.ts';

/** The program as users start it; another entry may be named while it is not built. */
export const PROGRAM =
  process.env['ROBOSMITH_TEST_CLI'] ?? fileURLToPath(new URL('../../../bin/robosmith.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Project {
  /** Absolute, without links. */
  readonly folder: string;
  file(name: string): string;
  robosmith(...args: readonly string[]): Promise<Ended>;
  remove(): Promise<void>;
}

/** A project in a folder of its own, with a config folder of its own. */
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

/** Returns an empty script beside each manifest that names `./answers.json`: a scripted worker needs its file. */
function scriptedAnswers(files: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const named = Object.entries(files).filter(([, content]) =>
    (typeof content === 'string' ? content : JSON.stringify(content)).includes('./answers.json'),
  );
  return Object.fromEntries(named.map(([name]) => [path.posix.join(path.posix.dirname(name), 'answers.json'), '{}']));
}

/** A run that waits for a time leaves an engine host behind. */
function endHost(folder: string): void {
  const claims = path.join(folder, '.flow', 'engine.lock');
  for (const name of existsSync(claims) ? readdirSync(claims) : []) {
    if (!name.endsWith('.json')) continue;
    const { pid, socket, released } = JSON.parse(readFileSync(path.join(claims, name), 'utf8')) as Claim;
    if (typeof socket !== 'string' || released === true) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

interface Claim {
  readonly pid: number;
  readonly socket?: string | null;
  readonly released?: boolean;
}

/** The keys of whoever runs the tests are none of theirs. */
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
  if (leaks.length > 0) throw new Error(`a key leaked\n${told(leaks)}`);
  return { code, ...text };
}

/** The commands that an error or a report says to type next, as arguments. */
export const nextCommands = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/^ +robosmith (.+)$/gm)].map(([, line = '']) =>
    [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? ''),
  );

export const to = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

const HALT = to('FAIL_DEFAULT', 'HALT_AND_FLAG');

/** Two scripted blocks around the project's tests, and a node that is called when they fail. */
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
