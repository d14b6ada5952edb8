import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { type Engine, openEngine } from '#engine/durable/open-engine.ts';
import type { NodeId } from '#protocol/id.ts';
import type { RunOptions } from '#protocol/run.ts';

const MANIFEST = {
  version: 1,
  entry: 'Main',
  workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
  nodes: { Main: { entry_block: 'A', blocks: { A: { worker: 'Worker:X' } } } },
};
const OPTIONS: RunOptions = {
  start: { node: 'Main' as NodeId },
  script: { answers: new Map([['*', [{ signal: 'SIGNAL:SUCCESS' }]]]), halts: [] },
};

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

function workflow() {
  const { workflow: compiled } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  if (compiled === null) throw new Error('it does not compile');
  return compiled;
}

test('what a run that has just begun will speak of is left', async () => {
  const run = engine.start(workflow(), OPTIONS, root);
  expect(engine.prune({ keep: 0 })).toMatchObject({ runs: [], blobs: 0 });
  expect((await run.settled()).success).toBe(true);
  const again = engine.resume(run.id, root, {});
  expect((await again.settled()).success).toBe(true);
});

test('a manifest that went with its run is kept anew for the next one', async () => {
  const compiled = workflow();
  const first = engine.start(compiled, OPTIONS, root);
  await first.settled();
  expect(engine.prune({ keep: 0 })).toMatchObject({ runs: [first.id], blobs: 1 });
  const next = engine.start(compiled, OPTIONS, root);
  await next.settled();
  expect((await engine.resume(next.id, root, {}).settled()).success).toBe(true);
});
