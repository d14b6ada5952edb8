import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keptLanes } from '#host/layout/kept-lanes.ts';
import { createLayoutThread, THREAD_LIMITS, type LayoutThread } from '#host/layout/layout-thread.ts';
import { openLayouts } from '#host/layout/open-layouts.ts';
import { createElk, layOutGraph, layoutGraphOf, layOutLane, type LaneGeometry, simpleLayout } from '#layout/index.ts';
import { sampleGraph } from '../../../unit/compiler-export/sample-graph.ts';

const NOW = Date.UTC(2026, 0, 1);
const graph = layoutGraphOf(
  sampleGraph({
    Main: {
      A: { rows: [{ signal: 'SUCCESS', action: 'JUMP:Main__B' }] },
      B: { rows: [{ signal: 'FAILURE', action: 'JUMP:Main__A' }] },
    },
    Other: { A: { rows: [] } },
  }),
  'hash',
);
const expected = await layOutGraph(graph, (shape) => layOutLane(shape, createElk()));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-layout-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = (source: string): URL => new URL(`data:text/javascript,${encodeURIComponent(source)}`);

const deadThread: LayoutThread = {
  layOut: () => Promise.reject(new Error('nothing should be computed')),
  close: () => Promise.resolve(),
};

test('a layout is computed in a thread, kept, and read by the next process without one', async () => {
  const first = openLayouts({ folder, thread: createLayoutThread(), now: () => NOW });
  expect(await first.layoutOf(graph)).toEqual(expected);
  await first.close();
  const second = openLayouts({ folder, thread: deadThread, now: () => NOW });
  expect(await second.layoutOf(graph)).toEqual(expected);
});

test('a kept lane that is torn is removed and computed again', async () => {
  const first = openLayouts({ folder, thread: createLayoutThread(), now: () => NOW });
  await first.layoutOf(graph);
  const names = readdirSync(folder);
  for (const name of names) truncateSync(path.join(folder, name), 20);
  expect(await keptLanes(folder, () => NOW).read([[1], [0]])).toBeNull();
  expect(readdirSync(folder)).toHaveLength(names.length - 1);
  const second = openLayouts({ folder, thread: createLayoutThread(), now: () => NOW });
  expect(await second.layoutOf(graph)).toEqual(expected);
  for (const name of names)
    expect(() => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as unknown).not.toThrow();
  await Promise.all([first.close(), second.close()]);
});

test('the same shape is computed once, however often it is asked for at the same time', async () => {
  let asked = 0;
  const thread: LayoutThread = {
    ...deadThread,
    layOut: (shape) => {
      asked += 1;
      return layOutLane(shape, createElk());
    },
  };
  const layouts = openLayouts({ folder, thread, now: () => NOW });
  await Promise.all([layouts.layoutOf(graph), layouts.layoutOf(graph), layouts.layoutOf(graph)]);
  expect(asked).toBe(graph.nodes.length);
});

test('beyond 2,000 lanes those that were not used for the longest time go', async () => {
  const kept = keptLanes(folder, () => NOW);
  for (let index = 0; index < 2_050; index += 1) {
    const file = path.join(folder, `${index}.json`);
    writeFileSync(file, '');
    utimesSync(file, index, index);
  }
  await kept.write([], { width: 1, height: 1, cards: [], routes: [] });
  const left = readdirSync(folder);
  expect(left).toHaveLength(2_000);
  expect(left).not.toContain('50.json');
  expect(left).toContain('51.json');
});

test('without a folder to write to, layouts are computed each time', async () => {
  const file = path.join(folder, 'file');
  writeFileSync(file, '');
  const layouts = openLayouts({ folder: path.join(file, 'below'), thread: createLayoutThread(), now: () => NOW });
  expect(await layouts.layoutOf(graph)).toEqual(expected);
  await layouts.close();
});

const failing: readonly (readonly [string, URL])[] = [
  ['does not start', program('throw new Error("no")')],
  ['ends', program('process.exit(3)')],
  ['cannot be started', new URL('http://localhost/none.js')],
  ['never answers', program('import { parentPort } from "node:worker_threads"; parentPort.on("message", () => {});')],
];

test.each(failing)('a thread that %s leads to the simple layout, and nothing is kept', async (_, url) => {
  const thread = createLayoutThread({ ...THREAD_LIMITS, shapeMs: 300 }, url);
  const layouts = openLayouts({ folder, thread, now: () => NOW });
  expect(await layouts.layoutOf(graph)).toEqual(simpleLayout(graph));
  expect(readdirSync(folder)).toEqual([]);
  await layouts.close();
});

test('what ELK refuses fails alone: the shape after it is laid out', async () => {
  const answering = program(
    'import { parentPort } from "node:worker_threads"; parentPort.on("message", ({ id, shape }) => parentPort.postMessage(shape.length === 1 ? { id, failure: "no" } : { id, geometry: { width: id, height: 1, cards: [], routes: [] } }));',
  );
  const thread = createLayoutThread(THREAD_LIMITS, answering);
  const results: readonly (LaneGeometry | null)[] = await Promise.all([thread.layOut([[]]), thread.layOut([])]);
  expect(results).toEqual([null, { width: 2, height: 1, cards: [], routes: [] }]);
  await thread.close();
});

test('lost threads count only in a row: an answer in between begins the count anew', async () => {
  const exiting = program(
    'import { parentPort } from "node:worker_threads"; parentPort.on("message", ({ id, shape }) => { if (shape.length === 1) process.exit(3); parentPort.postMessage({ id, geometry: { width: 1, height: 1, cards: [], routes: [] } }); });',
  );
  const thread = createLayoutThread(THREAD_LIMITS, exiting);
  const isLaidOut: boolean[] = [];
  for (const shape of [[[]], [[]], [], [[]], [[]], []]) isLaidOut.push((await thread.layOut(shape)) !== null);
  expect(isLaidOut).toEqual([false, false, true, false, false, true]);
  await thread.close();
});

test('20,000 shapes fail at once when no thread can be started', async () => {
  const thread = createLayoutThread(THREAD_LIMITS, new URL('http://localhost/none.js'));
  const results = await Promise.all(Array.from({ length: 20_000 }, () => thread.layOut([])));
  expect(new Set(results)).toEqual(new Set([null]));
});

test('after close all that waits fails, and no thread is left', async () => {
  const silent = program('import { parentPort } from "node:worker_threads"; parentPort.on("message", () => {});');
  const thread = createLayoutThread(THREAD_LIMITS, silent);
  const waiting = [thread.layOut([]), thread.layOut([[]])];
  await thread.close();
  expect(await Promise.all(waiting)).toEqual([null, null]);
  expect(await thread.layOut([])).toBeNull();
});
