import { spawn } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyEdits } from '#engine/authoring.ts';
import { verifies } from '../e2e/verifies.ts';
import { pick, seed, seededRandom } from '../support/seeded-random.ts';
import { inLanes } from './in-lanes.ts';
import { AFTER, BEFORE, makeTree, OPERATIONS, readTree, type Tree } from './loom-scene.ts';

/** Number of kill points that are tested. In addition, a fifth as many sequences of three kills are tested. */
const kills = Number(process.env['ROBOSMITH_LOOM_KILLS'] ?? 30);
const sequences = Math.ceil(kills / 5);
const PROGRAM = fileURLToPath(new URL('loom-process.ts', import.meta.url));

const random = seededRandom(seed);

function sampleOf<Item>(items: readonly Item[], size: number): readonly Item[] {
  const left = [...items];
  while (left.length > size) left.splice(pick(random, left.length), 1);
  return left;
}

let base = '';
beforeAll(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-loom-')));
});
afterAll(() => rm(base, { recursive: true, force: true }));

async function newTree(): Promise<string> {
  const folder = await mkdtemp(path.join(base, 'tree-'));
  await makeTree(folder, BEFORE);
  return folder;
}

interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
}

function applyIn(folder: string, killAt: number): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, folder, OPERATIONS, String(killAt)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (_code, signal) => resolve({ signal, out }));
  });
}

const WHOLE: Tree = { ...AFTER, 'new/': '', 'new/deep/': '', 'sub/': '' };

/** Expects each file to have either its old or its new content at any moment. */
async function expectWhole(folder: string, point: string): Promise<void> {
  const found = await readTree(folder);
  for (const name of Object.keys(AFTER))
    expect([BEFORE[name], AFTER[name]], `${name} after ${point}`).toContain(found[name]);
}

/** Expects that applying the same operations again, in another process, gives the complete result. */
async function expectExact(folder: string, point: string): Promise<void> {
  expect(await applyEdits(OPERATIONS, folder, false), point).toMatchObject({ ok: true });
  expect(await readTree(folder), point).toEqual(WHOLE);
}

describe.skipIf(process.platform === 'win32')('a transaction that is killed', { timeout: 0 }, () => {
  let points: readonly string[] = [];
  beforeAll(async () => {
    const folder = await newTree();
    const { out } = await applyIn(folder, 0);
    points = (JSON.parse(out) as { readonly points: readonly string[] }).points;
    expect(await readTree(folder)).toEqual(WHOLE);
  });

  test(`at any call that changes a file leaves each whole, and is made exactly by the next (${kills}, ROBOSMITH_SEED=${seed})`, async () => {
    verifies('workers.loom.operations', 'workers.loom.idempotent');
    expect(points.length).toBeGreaterThan(40);
    await inLanes(sampleOf([...points.keys()], kills), 3, async (index) => {
      const folder = await newTree();
      const point = `${index + 1}: ${points[index] ?? ''}`;
      expect((await applyIn(folder, index + 1)).signal, point).toBe('SIGKILL');
      await expectWhole(folder, point);
      await expectExact(folder, point);
    });
  });

  test(`is made exactly when who takes it over is killed too (${sequences}, ROBOSMITH_SEED=${seed})`, async () => {
    const point = (): number => 1 + pick(random, points.length);
    const planned = Array.from({ length: sequences }, () => [point(), point(), point()] as const);
    await inLanes(planned, 3, async (sequence) => {
      const folder = await newTree();
      for (const at of sequence) {
        await applyIn(folder, at);
        await expectWhole(folder, sequence.join(', '));
      }
      await expectExact(folder, sequence.join(', '));
    });
  });
});
