import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '#engine/open/engine.ts';
import { openEngine } from '#engine/open/open-engine.ts';
import type { RunId } from '#protocol/id.ts';
import type { Worker } from '#protocol/worker.ts';
import { goes, manifestOf, returns } from '../../../unit/engine/durable/manifest-sketch.ts';
import { ONE_BLOCK, oneBlock } from '../../../unit/engine/durable/one-block.ts';
import { compileScene } from '../../../unit/engine/durable/stored-runs.ts';

let root = '';
let engine: Engine;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'robosmith-prune-'));
  const opened = openEngine(root, { warn: (message) => expect.unreachable(message) });
  if (!opened.ok) throw new Error('somebody else has the engine');
  ({ engine } = opened);
});
afterEach(() => {
  engine.close();
  rmSync(root, { recursive: true });
});

test('what a run that has just begun will speak of is left', async () => {
  const run = engine.start(oneBlock(), ONE_BLOCK, root);
  expect(engine.prune({ keep: 0 })).toMatchObject({ runs: [], blobs: 0 });
  expect((await run.settled()).success).toBe(true);
  const again = engine.resume(run.id, root, {});
  expect((await again.settled()).success).toBe(true);
});

test('a manifest that went with its run is kept anew for the next one', async () => {
  const compiled = oneBlock();
  const first = engine.start(compiled, ONE_BLOCK, root);
  await first.settled();
  expect(engine.prune({ keep: 0 })).toMatchObject({ runs: [first.id], blobs: 1 });
  const next = engine.start(compiled, ONE_BLOCK, root);
  await next.settled();
  expect((await engine.resume(next.id, root, {}).settled()).success).toBe(true);
});

test('a whole log that a result names stays, also where the result is so large that it lies beside the journal', async () => {
  const talks: Worker = {
    sideEffects: 'none',
    execute: async (_memory, { logs }) => {
      const log = logs?.open();
      log?.add(Buffer.from('all of it'));
      const kept = (await log?.keep()) ?? {};
      return { signal: 'SIGNAL:SUCCESS', append: [{ type: 'OUT', content: 'x'.repeat(20_000), meta: { log: kept } }] };
    },
  };
  const options = { start: ONE_BLOCK.start, workers: new Map([['Worker:X', talks]]) };
  const response = await engine.start(oneBlock(), options, root).settled();
  const [said] = response.data.payload;
  const { blob } = said?.meta['log'] as { readonly blob: string };
  expect(engine.prune({ before: 0 })).toMatchObject({ runs: [], blobs: 0 });
  expect(existsSync(path.join(root, '.flow', 'blobs', blob))).toBe(true);
});

test('what a damaged run speaks of stays: whoever mends it needs it', async () => {
  const compiled = oneBlock();
  const [damaged, whole] = [engine.start(compiled, ONE_BLOCK, root), engine.start(compiled, ONE_BLOCK, root)];
  for (const run of [damaged, whole]) await run.settled();
  const journal = path.join(root, '.flow', 'runs', damaged.id, 'journal.jsonl');
  const [header = '', ...lines] = readFileSync(journal, 'utf8').split('\n');
  writeFileSync(journal, [header, 'damaged', ...lines].join('\n'));
  expect(engine.prune({ keep: 0 })).toMatchObject({ runs: [whole.id], blobs: 0 });
  writeFileSync(journal, [header, ...lines].join('\n'));
  expect((await engine.resume(damaged.id, root, {}).settled()).success).toBe(true);
});

describe('a run that is over by its journal, and is gone on with', () => {
  const journalOf = (run: RunId): string => path.join(root, '.flow', 'runs', run, 'journal.jsonl');
  const worker: Worker = { sideEffects: 'none', execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS' }) };
  const ended = async (): Promise<RunId> => {
    const run = engine.start(oneBlock(), ONE_BLOCK, root);
    await run.settled();
    return run.id;
  };

  test('does not go', async () => {
    const run = await ended();
    const again = engine.resume(run, root, {});
    expect(engine.prune({ keep: 0 }).runs).toEqual([]);
    await again.settled();
    expect(existsSync(journalOf(run))).toBe(true);
  });

  test('is not written anew beside who writes to it', async () => {
    // A journal with two executions can be compacted, because one of them need not be kept.
    const twoBlocks = compileScene({ manifest: manifestOf({ Main: { A: goes('JUMP:B'), B: returns } }) });
    const first = engine.start(twoBlocks, { ...ONE_BLOCK, workers: new Map([['Worker:X', worker]]) }, root);
    await first.settled();
    const run = first.id;
    const { ino } = statSync(journalOf(run));
    const again = engine.resume(run, root, {});
    engine.prune({ before: 0 });
    await again.settled();
    expect(statSync(journalOf(run)).ino).toBe(ino);
    expect((await engine.resume(run, root, {}).settled()).success).toBe(true);
    engine.prune({ before: 0 });
    expect(statSync(journalOf(run)).ino).not.toBe(ino);
  });

  test('neither does one that is about to be cancelled', async () => {
    const breaks: Worker = { sideEffects: 'none', execute: () => Promise.reject(new Error('it fails')) };
    const failing = { start: ONE_BLOCK.start, workers: new Map([['Worker:X', breaks]]) };
    const run = engine.start(oneBlock(), failing, root);
    expect((await run.settled()).success).toBe(false);
    const cancelling = engine.cancel(run.id);
    expect(engine.prune({ keep: 0 }).runs).toEqual([]);
    await cancelling;
  });
});
