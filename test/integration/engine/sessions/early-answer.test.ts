import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NodeId } from '#protocol/id.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';
import { hand, rowOf, workersOf } from './session-rows.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

test('an answer that comes before the session has heard of the wait: it runs on, and was never halted', async () => {
  const { engine } = bench;
  const session = await bench.session('early');
  const halted = Promise.withResolvers<undefined>();
  const letGo = Promise.withResolvers<undefined>();
  const hands = { A: hand(() => letGo.promise) };
  const run = engine.start(
    rowOf(Object.keys(hands)),
    {
      start: { node: 'Main' as NodeId },
      session: session.id,
      workers: workersOf(hands),
      stepMode: true,
      onEvent: ({ type }) => {
        if (type === 'run.halted') halted.resolve(undefined);
      },
    },
    session.worktree,
  );
  const heard = run.settled();
  await halted.promise;
  // The session is notified of the halt only after git has listed its changes. This answer comes earlier.
  expect(run.answer(run.halts()[0]!.halt_id, { verb: 'proceed' })).toEqual({ accepted: true });
  expect((await heard).reason).toBe('halted');
  expect(bench.get(session.id).state).toBe('running');
  letGo.resolve(undefined);
  expect((await run.settled()).reason).toBe(null);
  expect(bench.get(session.id).state).toBe('ready');
  expect(bench.moves).not.toContain('halted');
});
