import { expect, test } from 'vitest';
import type { RunId } from '#protocol/id.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { createDurableBench } from '../../../support/durable-run.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { createMemoryFiles } from './memory-files.ts';
import { ONE_BLOCK, oneBlock } from './one-block.ts';
import { FOLDER } from './stored-runs.ts';

/** Creates a store and counts its open files. */
function openStore() {
  const files = createMemoryFiles();
  let open = 0;
  const calls: FileCalls = {
    ...files.calls,
    open: (...given) => {
      const descriptor = files.calls.open(...given);
      open += 1;
      return descriptor;
    },
    close: (descriptor) => {
      files.calls.close(descriptor);
      open -= 1;
    },
  };
  let ids = 0;
  const bench = createDurableBench(calls, FOLDER, (bytes) => (ids += 1).toString(16).padStart(bytes * 2, '0'));
  return { files, bench, store: bench.open(), openFiles: () => open };
}

test('a run that was never there is not made by whoever goes on with it, or cancels it', async () => {
  const { files, bench, store, openFiles } = openStore();
  const before = [...files.contents()];
  const run = 'rabc' as RunId;
  expect(() => store.resume(run, {}, bench.ports)).toThrow('there is no run rabc');
  await expect(store.cancel(run, bench.ports)).rejects.toMatchObject({ code: 'usage' });
  expect([...files.contents()]).toEqual(before);
  expect(openFiles()).toBe(0);
});

test('the journal of a run that can not be gone on with is closed again', async () => {
  verifies('engine.journal.torn-line');
  const { files, bench, store, openFiles } = openStore();
  const run = store.start(oneBlock(), ONE_BLOCK, bench.ports, null, 'all');
  await bench.settle(run);
  for (const file of files.contents().keys()) if (file.includes('/blobs/')) files.calls.remove(file);
  const before = openFiles();
  expect(() => store.resume(run.id, {}, bench.ports)).toThrow('is missing');
  expect(openFiles()).toBe(before);
});

test('so is that of one which could not be dispatched', () => {
  const { bench, store, openFiles } = openStore();
  const refuse = (): never => {
    throw new Error('no space left');
  };
  expect(() => store.start(oneBlock(), ONE_BLOCK, bench.ports, null, 'all', refuse)).toThrow('no space left');
  expect(openFiles()).toBe(0);
});

test('a manifest that has changed on the disk is kept anew by the next run that follows it', async () => {
  const { files, bench, store } = openStore();
  const first = store.start(oneBlock(), ONE_BLOCK, bench.ports, null, 'all');
  await bench.settle(first);
  store.close();
  for (const [file, text] of files.contents()) if (file.includes('/blobs/')) files.put(file, text.replace('{', '['));
  const later = bench.open();
  const next = later.start(oneBlock(), ONE_BLOCK, bench.ports, null, 'all');
  await bench.settle(next);
  const again = later.resume(next.id, {}, bench.ports, { reach: 'all' });
  expect((await bench.settle(again)).success).toBe(true);
  later.close();
});
