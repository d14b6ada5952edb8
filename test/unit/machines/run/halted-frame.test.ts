import { createActor, type InspectionEvent } from 'xstate';
import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { BUILT_IN_CONDITIONS } from '#machines/run/conditions.ts';
import { openRootFrame } from '#machines/run/frame.ts';
import { indexGraph } from '#machines/run/graph-index.ts';
import { link } from '#machines/run/link.ts';
import { holdPayload } from '#machines/run/payload-log.ts';
import { createRunState } from '#machines/run/run-state.ts';
import type { Decision, Effects, Frame } from '#machines/run/state.ts';
import type { BlockId, RunId } from '#protocol/id.ts';
import { ERROR, SUCCESS } from '#protocol/signal.ts';
import { verifies } from '../../../e2e/verifies.ts';

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

const MANIFEST = JSON.stringify({
  version: 1,
  workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
  nodes: {
    N: {
      entry_block: 'A',
      blocks: { A: { worker: 'Worker:X', transitions: [row('SUCCESS', 'CALL:N:A'), row('ERROR', 'HALT_AND_FLAG')] } },
    },
  },
});

/** Waits until all pending work is done. */
const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each([1, 10, 100])(
  'at depth %i an answer wakes the halted frame, and no actor above it hears anything',
  async (depth) => {
    verifies('engine.compile.halt-address');
    const { workflow } = compile([{ path: 'workflows.json', text: MANIFEST }]);
    if (workflow === null) throw new Error('the manifest has errors');
    const halted: { frame: Frame; answer: (decision: Decision) => void }[] = [];
    let executions = 0;
    const effects: Effects = {
      execute: (frame, visit) => {
        executions += 1;
        visit.attempts += 1;
        if (executions > depth + 1) return new Promise(() => undefined);
        return Promise.resolve({ kind: 'signalled', signal: frame.depth < depth ? SUCCESS : ERROR, failure: null });
      },
      ask: (frame) => new Promise((answer) => halted.push({ frame, answer })),
    };
    const state = createRunState({
      id: 'run' as RunId,
      index: indexGraph(workflow.graph),
      conditions: BUILT_IN_CONDITIONS,
      effects,
      now: () => 0,
      keepPath: () => undefined,
      record: () => undefined,
      onStill: () => undefined,
    });
    const machines = link(workflow);
    const heard: string[] = [];
    const inspect = (event: InspectionEvent): void => {
      if (event.type === '@xstate.event' && event.event.type !== 'xstate.init')
        heard.push(`${event.actorRef.sessionId} ${event.event.type}`);
    };
    const root = openRootFrame(state, 'N__A' as BlockId, holdPayload([]));
    const actor = createActor(machines.frame, { input: { frame: root }, inspect });
    actor.start();
    while (halted.length === 0) await rest();
    expect(halted.map(({ frame }) => frame.depth)).toEqual([depth]);
    heard.length = 0;
    halted[0]?.answer({ kind: 'again' });
    await rest();
    expect(executions).toBe(depth + 2);
    expect(heard.map((line) => line.split(' ')[1])).toEqual(['@retry']);
    actor.stop();
  },
);
