import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngine } from '#engine/open/open-engine.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { ONE_BLOCK, oneBlock } from '../../../unit/engine/durable/one-block.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'robosmith-undispatched-'));
});
afterEach(() => rmSync(root, { recursive: true }));

test('of a run whose dispatch can’t be written nothing is left; the next one begins', async () => {
  let isFull = true;
  const calls: FileCalls = {
    ...fileCalls,
    rename: (from, to) => {
      if (isFull && to.endsWith('intent.lock')) throw Object.assign(new Error('ENOSPC: rename'), { code: 'ENOSPC' });
      fileCalls.rename(from, to);
    },
  };
  const opened = openEngine(root, { warn: () => undefined, calls });
  if (!opened.ok) throw new Error('somebody else has the engine');
  const { engine } = opened;
  const runs = path.join(root, '.flow/runs');
  expect(() => engine.start(oneBlock(), ONE_BLOCK, root)).toThrow('ENOSPC');
  expect(readdirSync(runs)).toEqual([]);
  isFull = false;
  const run = engine.start(oneBlock(), ONE_BLOCK, root);
  expect((await run.settled()).success).toBe(true);
  engine.close();
  expect(readdirSync(runs)).toEqual([run.id]);
});
