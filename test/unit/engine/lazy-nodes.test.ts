import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { simulate } from '#engine/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { NodeId } from '#protocol/id.ts';
import { verifies } from '../../e2e/verifies.ts';
import { manifestOf, row } from './small-workflow.ts';

const block = (...transitions: object[]) => ({ worker: 'Worker:X', transitions });

const manifest = manifestOf({
  Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'CALL:Sub'), row('FAILURE', 'CALL:Fix')) } },
  Sub: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'RETURN'), row('FAILURE', 'JUMP:Fix__A')) } },
  Fix: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'RETURN')) } },
  Never: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'RETURN')) } },
});

test('a node is built when a run first comes to it, and only once for all runs of its workflow', async () => {
  verifies('engine.compile.lazy');
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error('the manifest has errors');
  const built: string[] = [];
  const watched: CompiledWorkflow = {
    graph: workflow.graph,
    frame: workflow.frame,
    config: (id) => {
      built.push(id);
      return workflow.config(id);
    },
  };
  const run = (signals: readonly string[]) =>
    simulate(watched, {
      start: { node: 'Main' as NodeId },
      script: { answers: new Map([['*', signals.map((signal) => ({ signal: `SIGNAL:${signal}` }))]]), halts: [] },
    });
  expect((await run(['SUCCESS'])).path).toHaveLength(2);
  expect(built).toEqual(['Main', 'Sub']);
  built.length = 0;
  expect((await run(['FAILURE', 'SUCCESS'])).path).toHaveLength(2);
  expect(built).toEqual(['Fix']);
});
