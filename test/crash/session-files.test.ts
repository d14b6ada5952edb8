import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifies } from '../e2e/verifies.ts';
import { newRepository, type Repository } from '../support/git-repository.ts';
import { bundleProgram } from './process-pool.ts';

let program = { file: '', remove: (): void => undefined };
beforeAll(async () => {
  program = await bundleProgram(fileURLToPath(new URL('session-process.ts', import.meta.url)));
});
afterAll(() => program.remove());

let repository: Repository;
beforeEach(async () => {
  repository = await newRepository();
  repository.put('.gitignore', '.flow/\n');
  repository.put('.flow/.keep', '');
  repository.commit('Ignore');
});
afterEach(() => repository.end());

interface EngineReport {
  readonly success: boolean;
  readonly halts: readonly string[];
  readonly warnings: readonly string[];
  readonly folder: string;
}

/** Runs an engine process. Resolves to null if it was killed. */
async function engine(...args: readonly string[]): Promise<EngineReport | null> {
  const child = spawn(process.execPath, [program.file, repository.root, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
  const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.on('error', reject).on('close', (_code, by) => resolve(by));
  });
  if (signal === 'SIGKILL') return null;
  if (out === '') throw new Error(err);
  return JSON.parse(out) as EngineReport;
}

/** Returns the files that the second block found in its folder at each of its starts. */
const found = (): readonly unknown[] =>
  readFileSync(repository.at('found'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

const rescued = (): readonly string[] =>
  repository
    .git(['for-each-ref', '--format=%(refname)', 'refs/robosmith/rescue'])
    .split('\n')
    .filter((ref) => ref !== '');

const BEFORE = ['A\n', 'gone', 'mine\n', 'b\n'];

test('a step that a crash cut off begins again on the files as they were, and what it left is saved', async () => {
  verifies('engine.snapshots.restored');
  expect(await engine('idempotent', '2')).toBe(null);
  expect(await engine('idempotent', '2')).toBe(null);
  const report = await engine('idempotent', '2');
  expect(report).toMatchObject({ success: true, halts: [] });
  expect(found()).toEqual([BEFORE, BEFORE, BEFORE]);
  expect(
    rescued()
      .map((ref) => repository.git(['show', `${ref}:half.txt`]))
      .toSorted(),
  ).toEqual(['half 1', 'half 2']);
  expect(report?.warnings.join('\n')).toContain('its files were restored to the state before the interrupted step');
});

test('one whose repetition is not safe waits for a person, and its files are left as they are', async () => {
  verifies('engine.snapshots.restored');
  expect(await engine('non_idempotent', '1')).toBe(null);
  const report = await engine('non_idempotent', '1');
  expect(report).toMatchObject({ success: false, halts: ['unsafe'] });
  expect(readFileSync(`${report?.folder ?? ''}/half.txt`, 'utf8')).toBe('half 1\n');
  expect(rescued()).toEqual([]);
});

test('outside of the worktree of its session nothing is restored', async () => {
  verifies('engine.snapshots.in-dir-never-restored');
  const place = repository.at('elsewhere');
  mkdirSync(`${place}/src`, { recursive: true });
  repository.put('src/b.txt', 'b\n', place);
  expect(await engine('idempotent', '1', place)).toBe(null);
  repository.put('src/b.txt', 'b\n', place);
  expect(await engine('idempotent', '1', place)).toMatchObject({ success: true });
  expect(found()).toEqual([BEFORE, ['half\n', 'half 1\n', 'mine\n', 'b\n']]);
  expect(rescued()).toEqual([]);
});
