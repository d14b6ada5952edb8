import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LibraryEngine, openLibraryEngine } from '#engine/index.ts';
import type { NodeId } from '#protocol/id.ts';
import type { Worker } from '#protocol/worker.ts';
import { oneBlock } from '../../../unit/engine/durable/one-block.ts';

let root = '';
const warned: string[] = [];
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'robosmith-close-'));
  warned.length = 0;
});
afterEach(() => rmSync(root, { recursive: true }));

function open(): LibraryEngine {
  const opened = openLibraryEngine(root, { warn: (message) => void warned.push(message) });
  if (!opened.ok) throw new Error('somebody else has the engine');
  return opened.engine;
}

const start = { node: 'Main' as NodeId };
const own = (worker: Worker) => ({ workers: { 'Worker:X': worker } });

test('it interrupts its runs, waits until their workers have stopped, and gives the project back', async () => {
  const events: string[] = [];
  const begun = Promise.withResolvers<null>();
  const obedient: Worker = {
    sideEffects: 'idempotent',
    execute: (_memory, _services, signal) =>
      new Promise((_resolve, reject) => {
        begun.resolve(null);
        // The worker needs a few turns to clean up.
        signal.addEventListener('abort', () =>
          setTimeout(() => {
            events.push('the worker has stopped');
            reject(signal.reason as Error);
          }, 20),
        );
      }),
  };
  const engine = open();
  const run = engine.start(oneBlock(), { start, ...own(obedient) });
  await begun.promise;
  const closing = engine.close().then(() => events.push('the engine is closed'));
  expect((await run.settled()).reason).toBe('interrupted');
  await closing;
  expect([events, warned]).toEqual([['the worker has stopped', 'the engine is closed'], []]);

  const again = open();
  const done: Worker = { sideEffects: 'none', execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS' }) };
  expect(await again.resume(run.id, own(done)).settled()).toMatchObject({ success: true });
  await again.close();
  expect(warned).toEqual([]);
});
