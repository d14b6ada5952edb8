import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { startRun } from '#engine/run/start-run.ts';
import type { NodeId } from '#protocol/id.ts';
import type { BlockMemory, Worker } from '#protocol/worker.ts';
import { verifies } from '../../../e2e/verifies.ts';

const MANIFEST = {
  version: 1,
  entry: 'Main',
  workers: { 'Worker:X': { kind: 'ai' }, 'Worker:Fixer': { kind: 'ai' } },
  nodes: {
    Main: {
      entry_block: 'A',
      blocks: {
        A: {
          worker: 'Worker:X',
          recovery: {
            '*': [
              { policy: 'repair', worker: 'Worker:Fixer' },
              { policy: 'repair', worker: 'Worker:Fixer' },
            ],
          },
        },
      },
    },
  },
};

/**
 * `checkCompletion` identifies an execution after a crash by step and attempt, so these must differ for each repair.
 */
test('two repairs of one attempt by one worker are two executions, and neither is the block', async () => {
  verifies('workers.contract.completion');
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  if (workflow === null) throw new Error('it does not compile');
  const seen: string[] = [];
  const worker = (signal: string): Worker => ({
    sideEffects: 'idempotent',
    execute: ({ system: { run, step, attempt } }: BlockMemory) => {
      seen.push(`${step.slice(run.length)} ${attempt}`);
      return signal === '' ? Promise.reject(new Error('boom')) : Promise.resolve({ signal });
    },
  });
  const workers = new Map([
    ['Worker:X', worker('')],
    ['Worker:Fixer', worker('SIGNAL:FAILURE')],
  ]);
  const ports = {
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    random: () => 0.5,
    newId: (bytes: number) => 'a'.repeat(bytes),
    files: null,
    processes: null,
  };
  await startRun(workflow, { start: { node: 'Main' as NodeId }, workers }, ports).settled();
  expect(seen).toEqual(['/Main__A#1 1', '/Main__A#1!repair1 1', '/Main__A#1!repair1.2 1']);
});
