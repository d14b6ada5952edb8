import { createActor, createMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { compile, type ExportedConfigs, exportWorkflow, link } from '../../../src/index.ts';
import type { NodeId } from '#protocol/id.ts';
import type { WorkerResult } from '#protocol/worker.ts';
import { verifies } from '../../e2e/verifies.ts';

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });
const block = (...transitions: object[]) => ({ worker: 'Worker:X', transitions });

const manifest = {
  version: 1,
  entry: 'Main',
  workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
  nodes: {
    Main: {
      entry_block: 'A',
      blocks: {
        A: block(row('SUCCESS', 'CALL:Sub')),
        B: block(row('SUCCESS', 'FORK:Sub,Sub')),
        C: block(row('SUCCESS', 'RETURN'), row('FAIL_DEFAULT', 'HALT_AND_FLAG')),
      },
    },
    Sub: { entry_block: 'X', blocks: { X: block(row('SUCCESS', 'JUMP:Other__Y')) } },
    Other: { entry_block: 'Y', blocks: { Y: { worker: 'Worker:X' } } },
  },
};

const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
if (workflow === null) throw new Error('the manifest has errors');
const text = exportWorkflow(workflow, 'json');

type Exported = ExportedConfigs;
const exported = (): Exported => JSON.parse(text) as Exported;

const runLinked = (say: (blockId: string) => WorkerResult) => {
  const linked = link(exported(), {
    workers: { '*': { sideEffects: 'none', execute: ({ system }) => Promise.resolve(say(system.block)) } },
  });
  const input = linked.input({ node: 'Main' as NodeId });
  const actor = createActor(linked.root, { input });
  actor.start();
  return {
    actor,
    linked,
    path: input.path,
    done: () => new Promise<void>((resolve) => void actor.subscribe({ complete: resolve })),
  };
};

describe('exported configs', () => {
  test('createMachine takes each of them unchanged, and finds no state or target missing', () => {
    verifies('engine.export.json', 'engine.compile.plain-json', 'engine.compile.node-is-machine');
    const { frame, nodes } = exported();
    for (const config of [frame, ...Object.values(nodes)]) {
      const machine = createMachine(config as never);
      const states = Object.keys((config as { states: object }).states);
      expect(Object.keys(machine.states)).toEqual(states);
      for (const name of states) expect(() => machine.states[name]?.transitions).not.toThrow();
    }
  });

  test('hold nothing that JSON would drop', () => {
    expect(JSON.parse(JSON.stringify(exported()))).toEqual(exported());
  });

  test('link() makes them run as ordinary machines', async () => {
    verifies(
      'engine.library.link',
      'engine.export.json-links',
      'engine.compile.call-is-child-actor',
      'engine.compile.runs-what-is-exported',
    );
    const { path, actor, done } = runLinked(() => ({ signal: 'SIGNAL:SUCCESS' }));
    await done();
    expect(path.map(({ frame, block: at }) => `${frame} ${at}`)).toEqual([
      '/ Main__A',
      '/Main__A#1 Sub__X',
      '/Main__A#1 Other__Y',
      '/ Main__B',
      '/Main__B#1[0] Sub__X',
      '/Main__B#1[1] Sub__X',
      '/Main__B#1[0] Other__Y',
      '/Main__B#1[1] Other__Y',
      '/ Main__C',
    ]);
    expect((actor.getSnapshot() as { output: { kind: string } }).output.kind).toBe('returned');
  });

  test('a worker that breaks its contract fails the frame', async () => {
    const { actor, done } = runLinked(() => ({ signal: 'nonsense' }));
    await done();
    const { output } = actor.getSnapshot() as { output: { kind: string; frame: { failure: { reason: string } } } };
    expect([output.kind, output.frame.failure.reason]).toEqual(['failed', 'worker_contract_violation']);
  });

  test('a flagged block waits, and goes on with an answer', async () => {
    const { linked, path, done } = runLinked((at) => ({
      signal: at === 'Main__C' && path.length === 8 ? 'SIGNAL:OTHER' : 'SIGNAL:SUCCESS',
    }));
    await expect.poll(() => linked.halts().length).toBe(1);
    const [halt] = linked.halts();
    if (halt === undefined) throw new Error('nobody waits');
    expect([halt.block, halt.why]).toEqual(['Main__C', 'flagged']);
    expect(linked.answer(halt.halt_id, { verb: 'abort' }).accepted).toBe(false);
    expect(linked.answer(halt.halt_id, { verb: 'retry' }).accepted).toBe(true);
    await done();
    expect(path.at(-1)).toMatchObject({ block: 'Main__C', attempts: 2, signal: 'SIGNAL:SUCCESS' });
  });
});
