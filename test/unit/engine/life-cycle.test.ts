import { describe, expect, test } from 'vitest';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { Answer } from '#protocol/response.ts';
import type { Run } from '#protocol/run.ts';
import type { WorkerResult } from '#protocol/worker.ts';
import { verifies } from '../../e2e/verifies.ts';
import { Orchestrator } from '../../../src/index.ts';
import { oneBlock, row, virtualPorts, worker } from './small-workflow.ts';

const flagged = oneBlock({ transitions: [row('SUCCESS', 'RETURN'), row('FAILURE', 'HALT_AND_FLAG')] });

const ABOUT_RUN = /^run\./;

/** Starts a run whose worker returns these signals in order, and records the events about the run's state. */
function started(signals: readonly string[]) {
  const said: string[] = [];
  const queue = [...signals];
  const talks = worker((): WorkerResult => ({ signal: `SIGNAL:${queue.shift() ?? 'SUCCESS'}` }));
  const onEvent = (event: RoboSmithEvent): void => {
    if (!ABOUT_RUN.test(event.type)) return;
    said.push(event.type === 'run.finished' ? `${event.type} ${event.outcome}` : event.type);
  };
  const services = { workers: { 'Worker:X': talks }, ports: virtualPorts(), onEvent };
  const run = new Orchestrator(flagged, services).start('Main');
  if (!('settled' in run)) throw new Error('not started');
  return { run, said };
}

async function answer(run: Run, given: Answer): Promise<void> {
  await run.settled();
  const [halt] = run.halts();
  if (halt === undefined) throw new Error('nobody waits');
  expect(run.answer(halt.halt_id, given)).toEqual({ accepted: true });
}

describe('a run', () => {
  test('halts, runs on when it is answered, as often as need be, and completes', async () => {
    verifies('engine.run.states');
    const { run, said } = started(['FAILURE', 'FAILURE', 'SUCCESS']);
    await answer(run, { verb: 'retry' });
    await answer(run, { verb: 'retry' });
    expect((await run.settled()).success).toBe(true);
    const halted = ['run.halted', 'run.resumed'];
    expect(said).toEqual(['run.started', ...halted, ...halted, 'run.finished completed']);
  });

  test('is cancelled while it runs, and while it waits; that is its end', async () => {
    verifies('engine.run.states');
    const running = started([]);
    running.run.cancel();
    expect((await running.run.settled()).reason).toBe('cancelled');
    expect(running.said).toEqual(['run.started', 'run.finished cancelled']);
    const waiting = started(['FAILURE']);
    expect((await waiting.run.settled()).reason).toBe('halted');
    waiting.run.cancel();
    expect((await waiting.run.settled()).reason).toBe('cancelled');
    expect(waiting.run.halts()).toEqual([]);
    expect(waiting.said).toEqual(['run.started', 'run.halted', 'run.finished cancelled']);
    waiting.run.cancel();
    expect(waiting.said).toHaveLength(3);
    expect((await waiting.run.settled()).success).toBe(false);
  });
});

test('a halt whose output says that a module is missing names the setting that brings it', async () => {
  const missing = worker(() => ({
    signal: 'SIGNAL:FAILURE',
    append: [{ type: 'TEST_RESULT', content: "Error: Cannot find module 'left-pad'\nRequire stack:" }],
  }));
  const run = new Orchestrator(flagged, { workers: { 'Worker:X': missing }, ports: virtualPorts() }).start('Main');
  if (!('settled' in run)) throw new Error('not started');
  await run.settled();
  expect(run.halts()[0]?.last?.hint).toMatch(/^"left-pad" is not installed .* "worktree": \{ "setup": /);
});
