import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import { blockContext } from '../../../../src/engine/views/block-context.ts';
import { contextSavings } from '../../../../src/engine/views/context-savings.ts';
import { verifies } from '../../../e2e/verifies.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-block-context-')));
  mkdirSync(path.join(root, '.flow', 'logs'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const assembled = (run: string, seq: number, visit: number, tokens: number) => ({
  seq,
  run_id: run,
  trace_id: 't',
  time: 0,
  type: 'context.assembled',
  step_key: `${run}/Main__Write#${visit}`,
  node: 'Main',
  block: 'Main__Write',
  frame: '/',
  depth: 0,
  visit,
  name: 'Login',
  queries: 1,
  tokens,
  tokens_saved: 10 * tokens,
  left_out: 0,
  failed: [],
});

/** The events of a block that `worker` executes, as far as sums of tokens use them. */
const executed = (run: string, seq: number, block: string, worker: string) => {
  const scope = { run_id: run, trace_id: 't', time: 0, step_key: `${run}/${block}#1`, node: 'Main', block };
  const attempt = { ...scope, frame: '/', depth: 0, visit: 1, attempt: 1 };
  const ended = { signal: 'SUCCESS', origin: 'worker', appended: 1, exports: [], duration_ms: 1 };
  return [
    { ...attempt, seq, type: 'block.started', worker },
    { ...attempt, ...ended, seq: seq + 1, type: 'block.finished', stats: { tokens: 7, tokensSaved: 70 } },
  ];
};

const [FIRST, SECOND] = ['r00000000000a' as RunId, 'r00000000000b' as RunId];

test('what a context slice saved is summed by run, and shown in the context of its visit', () => {
  verifies('manifest.memory.context-slice');
  const events = [assembled(FIRST, 1, 1, 10), assembled(FIRST, 2, 2, 20), assembled(SECOND, 1, 1, 400)];
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  writeFileSync(path.join(root, '.flow', 'logs', 'events.jsonl'), lines.join(''));
  expect(contextSavings(root)).toEqual({ slices: 3, tokens: 430, tokens_saved: 4_300 });
  expect(contextSavings(root, FIRST)).toEqual({ slices: 2, tokens: 30, tokens_saved: 300 });
  expect(contextSavings(root, 'rffff')).toEqual({ slices: 0, tokens: 0, tokens_saved: 0 });
  const { layers } = blockContext(root, FIRST, { nodes: [] } as unknown as Graph, 'Main__Write', 1);
  expect(layers.find(({ layer }) => layer === 4)?.segments).toMatchObject([
    {
      name: 'Login',
      tokens: 10,
      reason: 'context slice of the block; about 100 tokens saved compared with sending the whole files',
    },
  ]);
});

test('what Internal:ContextQuery saved is part of the sums, and no other worker of the same statistics', () => {
  const events = [
    assembled(FIRST, 1, 1, 10),
    ...executed(FIRST, 2, 'Main__Ask', 'Internal:ContextQuery'),
    ...executed(FIRST, 4, 'Main__Other', 'Worker:Other'),
    ...executed(SECOND, 1, 'Main__Ask', 'Internal:ContextQuery'),
  ];
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  writeFileSync(path.join(root, '.flow', 'logs', 'events.jsonl'), lines.join(''));
  expect(contextSavings(root)).toEqual({ slices: 3, tokens: 24, tokens_saved: 240 });
  expect(contextSavings(root, FIRST)).toEqual({ slices: 2, tokens: 17, tokens_saved: 170 });
});
