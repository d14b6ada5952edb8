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
