import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { projectCalls } from '#engine/authoring.ts';
import { replayStored } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { Run } from '#protocol/run.ts';
import { verifies } from '../../../e2e/verifies.ts';
import type { Fault } from '../../../support/fault-server.ts';
import { row } from '../../../unit/engine/small-workflow.ts';
import { haltsOf, type ModelProject, projectWithModels, SECRET } from './project-with-models.ts';

let project: ModelProject;
afterEach(() => project.remove());

/** The number of tokens of a complete answer: 12 input and 3 output tokens. */
const ANSWER = 15;

/** The answers of the server by key; `say` changes them. */
const answers: Record<string, Fault> = {};
const say = (local: Fault, spare: Fault): void => {
  Object.assign(answers, { [SECRET]: local, [`${SECRET}-2`]: spare });
};

const block = (more: object = {}) => ({
  worker: 'Worker:M',
  transitions: [row('SUCCESS', 'RETURN'), row('FAIL_DEFAULT', 'HALT_AND_FLAG')],
  ...more,
});

/**
 * Creates a project with one block that calls a model once. The key `local` is tried first; a cut-off answer makes the
 * pool try the key `spare`.
 */
async function projectOf(local: Fault, spare: Fault) {
  say(local, spare);
  let url = '';
  project = await projectWithModels((server) => (url = server.byKey(answers)));
  writeFileSync(path.join(project.config, 'prices.json'), '{"tiny": {"input": 1, "output": 1}}');
  return (more: object = {}): object => ({
    nodes: { Main: { entry_block: 'A', blocks: { A: block(more) } } },
    workers: { 'Worker:M': { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: url, pool: 'p' } },
    pools: { p: { keys: ['local', 'spare'], policy: { stream_cut: 'next_key' } } },
  });
}

const spentOn = ({ metadata: { tokens, cost } }: Response) => ({ tokens, microUsd: Math.round((cost ?? 0) * 1e6) });
const idOf = ({ metadata }: Response): RunId => metadata.run_id as RunId;

/** Returns the usage of all attempts of all calls, according to the call log. */
function logged() {
  const { calls } = projectCalls(project.root);
  const tokens = calls.reduce((sum, { input, output }) => sum + (input ?? 0) + (output ?? 0), 0);
  return { tokens, microUsd: calls.reduce((sum, call) => sum + (call.micro_usd ?? 0), 0) };
}

async function expectSame(response: Response): Promise<void> {
  expect(spentOn(response)).toEqual(logged());
  expect(spentOn(response).tokens).toBeGreaterThan(0);
  const replayed = await replayStored(project.root, idOf(response));
  if (replayed.kind !== 'same') throw new Error(JSON.stringify(replayed));
  expect(spentOn(replayed.response)).toEqual(spentOn(response));
}

/** Returns a function that acts on the run as soon as the first words of the answer have arrived. */
const onWords =
  (act: (run: Run) => void) =>
  (run: Run): void => {
    run.subscribe(({ type }) => {
      if (type === 'block.progress') act(run);
    });
  };

const retried = (run: Run): void => {
  run.subscribe(({ type }) => {
    const [halt] = type === 'run.resumed' || type === 'block.halted' ? run.halts() : [];
    if (halt !== undefined) run.answer(halt.halt_id, { verb: 'retry' });
  });
};

test('a call that must wait for a key has paid for the attempts before, once, also when it is made again', async () => {
  verifies('workers.pool.durable-wait', 'workers.pool.paid-attempts');
  const one = await projectOf('cut', 'status-402');
  const waits = await project.run(one());
  expect(haltsOf(waits)).toMatchObject([{ why: 'quota' }]);
  await expectSame(waits);
  say('none', 'none');
  const done = await project.resume(idOf(waits), retried);
  expect(done).toMatchObject({ success: true });
  await expectSame(done);
  expect(spentOn(done).tokens).toBe(spentOn(waits).tokens + ANSWER);
  await expectSame(await project.resume(idOf(waits)));
});

test('a call that its budget stops has paid for the attempts before', async () => {
  verifies('workers.pool.budgets', 'workers.pool.paid-attempts');
  const one = await projectOf('cut', 'none');
  const waits = await project.run({ ...one(), budgets: { run: { requests: 1 } } });
  expect(haltsOf(waits)).toMatchObject([{ why: 'budget' }]);
  await expectSame(waits);
});

test('a call that waits, and whose price nobody knows, makes the cost of the run unknown', async () => {
  verifies('workers.pool.unknown-price', 'workers.pool.paid-attempts');
  const one = await projectOf('cut', 'status-402');
  rmSync(path.join(project.config, 'prices.json'));
  const waits = await project.run(one());
  expect(waits.metadata).toMatchObject({ cost: null, tokens: logged().tokens });
});

test('a call that waits without having sent anything has used nothing', async () => {
  const one = await projectOf('status-402', 'status-402');
  const { metadata } = await project.run(one());
  expect(metadata).toMatchObject({ cost: 0, tokens: 0 });
});

test('an answer that the time limit of the block broke off is paid for', async () => {
  verifies('workers.pool.paid-attempts');
  const one = await projectOf('stall', 'none');
  const late = await project.run(one({ timeout_ms: 300 }));
  expect(haltsOf(late)).toMatchObject([{ why: 'flagged' }]);
  await expectSame(late);
});

test('an answer that a person cut off is paid for, also in the journal', async () => {
  verifies('workers.pool.paid-attempts');
  const one = await projectOf('stall', 'none');
  const cancelled = await project.run(
    one(),
    {},
    onWords((run) => run.cancel()),
  );
  expect(cancelled.reason).toBe('cancelled');
  await expectSame(cancelled);
});

test('a run that was interrupted in the middle of an answer goes on with what that has cost', async () => {
  verifies('workers.pool.paid-attempts');
  const one = await projectOf('stall', 'none');
  const cut = await project.run(
    one(),
    {},
    onWords((run) => run.interrupt()),
  );
  expect(cut.reason).toBe('interrupted');
  await expectSame(cut);
  say('none', 'none');
  const done = await project.resume(idOf(cut));
  expect(done).toMatchObject({ success: true });
  expect(spentOn(done).tokens).toBe(spentOn(cut).tokens + ANSWER);
  await expectSame(done);
});

test('what a crash broke off is paid for by the run that goes on, at least as far as it had arrived', async () => {
  verifies('workers.pool.paid-attempts');
  const one = await projectOf('stall', 'none');
  const { root } = project;
  const left = `${root}-left`;
  const cut = await project.run(
    one(),
    {},
    onWords((run) => {
      cpSync(root, left, { recursive: true });
      run.interrupt();
    }),
  );
  rmSync(root, { recursive: true });
  cpSync(left, root, { recursive: true });
  rmSync(path.join(root, '.flow', 'engine.lock'), { recursive: true });
  say('none', 'none');
  const done = await project.resume(idOf(cut));
  expect(done).toMatchObject({ success: true, metadata: { cost_at_least: true } });
  await expectSame(done);
  expect(logged().tokens).toBeGreaterThan(ANSWER);
});

test('what a person takes back is paid for all the same', async () => {
  verifies('workers.pool.paid-attempts');
  const one = await projectOf('status-400', 'none');
  const fails = [row('SUCCESS', 'RETURN')];
  say('cut', 'status-400');
  const failed = await project.run(one({ transitions: fails }));
  expect(failed.success).toBe(false);
  await expectSame(failed);
  say('none', 'none');
  const done = await project.resume(idOf(failed), undefined, { retry: true });
  expect(done).toMatchObject({ success: true });
  await expectSame(done);
});
