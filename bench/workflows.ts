import { compile } from '../src/compiler/index.ts';
import type { CompiledWorkflow } from '../src/protocol/compiled.ts';
import type { NodeId } from '../src/protocol/id.ts';
import type { RunOptions, RunPorts } from '../src/protocol/run.ts';
import type { BlockMemory, Worker, WorkerResult } from '../src/protocol/worker.ts';
import { wallClock } from '../src/io/clock/clock.ts';
import { newId } from '../src/io/clock/identity.ts';

const STEPS = 1_000_000;

export const workflowOf = (manifest: unknown): CompiledWorkflow => {
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null)
    throw new Error(
      JSON.stringify(
        diagnostics.filter(({ severity }) => severity === 'error'),
        null,
        2,
      ),
    );
  return workflow;
};

const SUCCESS = 'SIGNAL:SUCCESS';
const DONE = 'SIGNAL:DONE';

const ringBlock = (next: string) => ({
  worker: 'Worker:Step',
  transitions: [
    { on_signal: DONE, action: 'RETURN' },
    { on_signal: SUCCESS, action: `JUMP:${next}` },
    { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'HALT_AND_FLAG' },
  ],
});

const AI = { 'Worker:Step': { kind: 'ai', provider: 'openai', model: 'none' } };

/** Returns a workflow of three blocks in a ring that repeats until SIGNAL:DONE. */
export const ring = (): CompiledWorkflow =>
  workflowOf({
    version: 1,
    entry: 'Main',
    max_steps: STEPS,
    max_run_steps: STEPS,
    workers: AI,
    nodes: { Main: { entry_block: 'A', blocks: { A: ringBlock('B'), B: ringBlock('C'), C: ringBlock('A') } } },
  });

/** Returns a workflow whose node calls itself; at this depth the worker returns SIGNAL:DONE. */
export const recursion = (depth: number): CompiledWorkflow =>
  workflowOf({
    version: 1,
    entry: 'Main',
    max_steps: STEPS,
    max_run_steps: STEPS,
    max_depth: depth,
    workers: AI,
    nodes: {
      Main: {
        entry_block: 'Down',
        blocks: {
          Down: {
            worker: 'Worker:Step',
            transitions: [
              { on_signal: DONE, action: 'RETURN' },
              { on_signal: SUCCESS, action: 'CALL:Main' },
              { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'HALT_AND_FLAG' },
            ],
          },
          Up: { worker: 'Worker:Step', transitions: [{ on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'RETURN' }] },
        },
      },
    },
  });

/** Returns a workflow with one block that forks `width` branches of one block each. */
export const fork = (width: number): CompiledWorkflow =>
  workflowOf({
    version: 1,
    entry: 'Main',
    max_steps: STEPS,
    max_run_steps: STEPS,
    workers: AI,
    nodes: {
      Main: {
        entry_block: 'Split',
        blocks: {
          Split: {
            worker: 'Worker:Step',
            transitions: [
              { on_signal: SUCCESS, action: `FORK:${Array.from({ length: width }, () => 'Branch').join(',')}` },
              { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'HALT_AND_FLAG' },
            ],
          },
        },
      },
      Branch: {
        entry_block: 'Only',
        blocks: {
          Only: { worker: 'Worker:Step', transitions: [{ on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'RETURN' }] },
        },
      },
    },
  });

/** Returns a manifest with this many blocks, in nodes of 100, with three transitions per block. */
export function bigManifest(blocks: number): object {
  const nodes: Record<string, unknown> = {};
  for (let node = 0; node < blocks / 100; node += 1) {
    const own: Record<string, unknown> = {};
    for (let block = 0; block < 100; block += 1)
      own[`Block${block}`] = {
        worker: 'Worker:Step',
        contract: 'Write the whole file. End with SIGNAL:SUCCESS.',
        payload_merge_strategy: ['ALL'],
        transitions: [
          {
            on_signal: SUCCESS,
            action:
              block === 99 ? `JUMP:Node${(node + 1) % Math.max(1, blocks / 100)}__Block0` : `JUMP:Block${block + 1}`,
          },
          { on_signal: 'SIGNAL:NEEDS_REFINEMENT', action: `JUMP:Block${(block * 7) % 100}` },
          { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'HALT_AND_FLAG' },
        ],
      };
    nodes[`Node${node}`] = { entry_block: 'Block0', blocks: own };
  }
  return { version: 1, entry: 'Node0', workers: AI, nodes };
}

export const ports = (): RunPorts => ({ clock: wallClock, random: Math.random, newId, files: null, processes: null });

const worker = (execute: (memory: BlockMemory) => WorkerResult): Worker => ({
  sideEffects: 'none',
  execute: (memory) => Promise.resolve(execute(memory)),
});

export const optionsFor = (execute: (memory: BlockMemory) => WorkerResult): RunOptions => ({
  start: { node: 'Main' as NodeId },
  workers: new Map([['Worker:Step', worker(execute)]]),
});
