import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { newId } from '#io/clock/identity.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { NodeId } from '#protocol/id.ts';
import { createDurableBench } from '../../../support/durable-run.ts';

const MANIFEST = {
  version: 1,
  entry: 'Main',
  workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
  nodes: { Main: { entry_block: 'A', blocks: { A: { worker: 'Worker:X', gate: true } } } },
};
const SCRIPT = { answers: new Map([['*', [{ signal: 'SIGNAL:SUCCESS' }]]]), halts: [] };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'robosmith-released-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const bench = () => createDurableBench(fileCalls, folder, newId);

test('a run that waits is forgotten without a word, and goes on in another engine', async () => {
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  if (workflow === null) throw new Error('it does not compile');
  const { open, settle, ports, rest } = bench();
  const store = open();
  const run = store.start(workflow, { start: { node: 'Main' as NodeId }, script: SCRIPT }, ports, null, 'all');
  expect((await settle(run)).reason).toBe('halted');
  run.release();
  await rest();
  expect(run.summary().status).toBe('halted');
  store.close();

  const later = bench();
  const again = later.open().resume(run.id, {}, later.ports, { reach: 'all' });
  const { details } = await later.settle(again);
  expect(details['halts']).toMatchObject([{ halt_id: 'h1', block: 'Main__A', why: 'gate' }]);
  expect(again.answer(again.halts()[0]!.halt_id, { verb: 'proceed' })).toEqual({ accepted: true });
  expect((await later.settle(again)).success).toBe(true);
});
