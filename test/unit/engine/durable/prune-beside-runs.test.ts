import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine } from '#engine/durable/engine.ts';
import { openEngine } from '#engine/durable/open-engine.ts';
import { ONE_BLOCK, oneBlock } from './one-block.ts';

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
