import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LandingReport } from '../../src/protocol/landing-report.ts';
import { addBranch, addTests } from '../integration/engine/sessions/landing/tested-project.ts';
import { newRepository, type Repository } from '../support/git-repository.ts';
import { pick, seed, seededRandom } from '../support/seeded-random.ts';
import { bundleProgram } from './process-pool.ts';

/** The number of kills, each at another call of git; `all`: at every call. */
const wanted = process.env['ROBOSMITH_LANDING_KILLS'] ?? '3';

let program = { file: '', remove: (): void => undefined };
beforeAll(async () => {
  program = await bundleProgram(fileURLToPath(new URL('landing-process.ts', import.meta.url)));
});
afterAll(() => program.remove());

/** A `git` that counts its calls in COUNT and kills its caller at the call that KILL_AT holds, before or after it. */
const GIT = `#!/bin/sh
echo call >> COUNT
calls=$(wc -l < COUNT)
at=$(cat KILL_AT 2>/dev/null || echo 0)
if [ "$calls" -eq "$at" ] && [ $((at % 2)) -eq 0 ]; then kill -9 $PPID; exit 1; fi
REAL "$@"
code=$?
if [ "$calls" -eq "$at" ]; then kill -9 $PPID; fi
exit $code
`;

const NAMES = ['one', 'two', 'three', 'four'] as const;

async function project(): Promise<Repository> {
  const repository = await newRepository();
  repository.put('.gitignore', '.flow/\n');
  repository.put('.flow/flow.registry.json', '{}');
  repository.commit('Ignore');
  addTests(repository);
  for (const name of NAMES) addBranch(repository, name);
  repository.put('mine.txt', 'mine\n');
  repository.put('a.txt', 'changed\n');
  const folder = repository.at('bin');
  mkdirSync(folder);
  const real = repository.git(['--exec-path']);
  const script = GIT.replaceAll('COUNT', repository.at('count')).replaceAll('KILL_AT', repository.at('kill-at'));
  writeFileSync(path.join(folder, 'git'), script.replace('REAL', path.join(real, 'git')));
  chmodSync(path.join(folder, 'git'), 0o755);
  return repository;
}

/** Lands in a process of its own; null if it was killed. */
async function land(repository: Repository, names: readonly string[]): Promise<LandingReport | string | null> {
  const env = { ...process.env, PATH: `${repository.at('bin')}${path.delimiter}${process.env['PATH'] ?? ''}` };
  const child = spawn(process.execPath, [program.file, repository.root, ...names], {
    env,
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
  return JSON.parse(out) as LandingReport | string;
}

const callsIn = (repository: Repository): number => readFileSync(repository.at('count'), 'utf8').split('\n').length - 1;

function check(repository: Repository, what: string): void {
  const subjects = repository.git(['log', '--format=%s', '--max-count=5', 'main']).split('\n');
  expect(subjects, what).toEqual(['three', 'two', 'one', 'Tests', 'Ignore']);
  expect(repository.git(['status', '--porcelain']), what).toBe('M a.txt\n?? mine.txt');
  expect(repository.git(['worktree', 'list', '--porcelain']).match(/^worktree /gm), what).toHaveLength(1);
  expect(repository.git(['rev-parse', ...NAMES]).split('\n'), what).toHaveLength(4);
  repository.git(['fsck', '--no-dangling']);
  expect(existsSync(repository.at('project/four.txt')), what).toBe(false);
}

test(`a landing that is killed at any call of git goes on, and nothing lands twice (seed ${seed})`, async () => {
  const whole = await project();
  const report = await land(whole, NAMES);
  expect(report).toMatchObject({ landed: ['one', 'two', 'three'], back: [{ name: 'four', why: { with: ['two'] } }] });
  check(whole, 'without a kill');
  const calls = callsIn(whole);
  await whole.end();
  const random = seededRandom(seed);
  const all = Array.from({ length: calls }, (_, index) => index + 1);
  const points = wanted === 'all' ? all : Array.from({ length: Number(wanted) }, () => 1 + pick(random, calls));
  let killed = 0;
  for (const at of points) {
    const repository = await project();
    writeFileSync(repository.at('kill-at'), String(at));
    if ((await land(repository, NAMES)) === null) killed += 1;
    rmSync(repository.at('kill-at'));
    const again = await land(repository, []);
    // Killed before the landing had begun, or after it had ended: then nothing is left to go on with.
    if (typeof again === 'string') {
      expect(again).toContain('Name the sessions');
      if (repository.git(['log', '-1', '--format=%s', 'main']) !== 'three') await land(repository, NAMES);
    }
    check(repository, `killed at call ${at} of ${calls}`);
    await repository.end();
  }
  expect(killed).toBeGreaterThan(0);
});
