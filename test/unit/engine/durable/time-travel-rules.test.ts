import { expect, test } from 'vitest';
import type { RunId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Response } from '#protocol/response.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { haltsOf, line, openProject, outcomeOf, pathOf, type Scene } from './stored-runs.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';

const say = (signal: string, more: object = {}): JsonObject => ({ signal: `SIGNAL:${signal}`, ...more });

const waiting = (response: Response): readonly string[] => haltsOf(response).map(({ block, why }) => `${block} ${why}`);

const flags = (action: string) => ({ rows: { SUCCESS: action, FAIL_DEFAULT: 'HALT_AND_FLAG' } });

const LINE: Scene = {
  name: 'a line',
  manifest: manifestOf({ Main: { A: goes('JUMP:B'), B: returns } }),
  script: { '*': [say('SUCCESS')] },
};

test.each([0, -1, 3, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('there is no step %d of two', async (step) => {
  verifies('engine.determinism.time-travel');
  const project = openProject(LINE);
  const { run } = await project.start();
  expect(project.fork(run, step)).toBeNull();
});

test('a run that has finished no step has none to go back to', async () => {
  const manifest = manifestOf({ Main: { A: { ...returns, gate: true } } });
  const project = openProject({ ...LINE, manifest });
  const { run } = await project.start();
  expect(project.fork(run, 1)).toBeNull();
});

test('a fork says where it comes from, and is a run that waits to be resumed', async () => {
  const project = openProject(LINE);
  const { run } = await project.start();
  const fork = project.fork(run, 2) as RunId;
  expect(project.summary(fork)).toMatchObject({
    run: fork,
    status: 'interrupted',
    steps: 1,
    forked_from: { run, step: 2 },
    openings: 0,
  });
  expect((await project.resume(fork)).executed).toEqual(['/Main__B#1 1']);
  expect(project.summary(fork)).toMatchObject({ status: 'completed', forked_from: { run, step: 2 }, openings: 1 });
});

/** A workflow in which the steps of R happen during the second execution of P, which has already finished a visit. */
const AGAIN_MEANWHILE: Scene = {
  name: 'an execution that is repeated beside other steps',
  manifest: manifestOf({
    Main: { A: goes('FORK:L,R'), B: returns },
    L: { P: flags('RETURN') },
    R: { X: goes('JUMP:Y'), Y: returns },
  }),
  script: {
    L__P: [say('FAILURE', { delay_ms: 1 }), say('SUCCESS', { delay_ms: 50, side_effects: 'non_idempotent' })],
    R__X: [say('SUCCESS', { delay_ms: 10 })],
    '*': [say('SUCCESS')],
    '@halts': [{ block: 'L__P', answer: 'retry' }],
  },
};

test('what was under way was not cut off: nothing is unsafe about a fork', async () => {
  verifies('engine.determinism.time-travel');
  const project = openProject(AGAIN_MEANWHILE);
  const old = await project.start();
  expect(old.response.path.map(line)).toEqual([
    '1 / Main__A#1 SIGNAL:SUCCESS FORK:L,R',
    '2 /Main__A#1[0] L__P#1 SIGNAL:FAILURE HALT_AND_FLAG',
    '3 /Main__A#1[1] R__X#1 SIGNAL:SUCCESS JUMP:R__Y',
    '4 /Main__A#1[1] R__Y#1 SIGNAL:SUCCESS RETURN',
    '2 /Main__A#1[0] L__P#1 SIGNAL:SUCCESS RETURN',
    '5 / Main__B#1 SIGNAL:SUCCESS RETURN',
  ]);
  const run = project.fork(old.run, 3) as RunId;
  expect(project.entries(run).filter(({ type }) => type === 'intent')).toHaveLength(2);
  const fork = await project.resume(run);
  expect(outcomeOf(fork, true)).toEqual(outcomeOf(old, true));
  expect(fork.executed).toContain('/Main__A#1[0]/L__P#1 2');
});

const ASKED: Scene = {
  name: 'a branch asks, and a gate comes later',
  manifest: manifestOf({
    Main: { A: goes('FORK:L,R'), B: { ...goes('JUMP:C'), gate: true }, C: returns },
    L: { P: flags('JUMP:Q'), Q: returns },
    R: { X: goes('JUMP:Y'), Y: returns },
  }),
  script: {
    L__P: [say('FAILURE', { delay_ms: 1 }), say('SUCCESS')],
    R__X: [say('SUCCESS', { delay_ms: 10 })],
    '*': [say('SUCCESS')],
  },
};

test('an answer that was given before the step holds; one that was given later is asked for again', async () => {
  verifies('engine.determinism.time-travel');
  const project = openProject(ASKED);
  const old = await project.start({
    answers: [
      ['L__P', { verb: 'retry', guidance: 'again' }],
      ['Main__B', { verb: 'proceed' }],
    ],
  });
  const path = old.response.path.map(line);
  expect(path).toEqual([
    '1 / Main__A#1 SIGNAL:SUCCESS FORK:L,R',
    '2 /Main__A#1[0] L__P#1 SIGNAL:FAILURE HALT_AND_FLAG',
    '3 /Main__A#1[1] R__X#1 SIGNAL:SUCCESS JUMP:R__Y',
    '4 /Main__A#1[1] R__Y#1 SIGNAL:SUCCESS RETURN',
    '2 /Main__A#1[0] L__P#1 SIGNAL:SUCCESS JUMP:L__Q',
    '5 /Main__A#1[0] L__Q#1 SIGNAL:SUCCESS RETURN',
    '6 / Main__B#1 SIGNAL:SUCCESS JUMP:Main__C',
    '7 / Main__C#1 SIGNAL:SUCCESS RETURN',
  ]);
  const at = async (step: number) => project.resume(project.fork(old.run, step) as RunId);
  // At these steps, before or during P's halt, the halt has no answer yet.
  for (const step of [2, 3, 4]) expect(waiting((await at(step)).response), `@${step}`).toEqual(['L__P flagged']);
  // At these steps P's halt has been answered, but the gate of B has not.
  for (const step of [5, 6]) expect(waiting((await at(step)).response), `@${step}`).toEqual(['Main__B gate']);
  const last = await at(7);
  expect(outcomeOf(last)).toEqual(outcomeOf(old));
  expect(last.executed).toEqual(['/Main__C#1 1']);
});

test('a halt that is open again takes another answer', async () => {
  const project = openProject(ASKED);
  const old = await project.start({
    answers: [
      ['L__P', { verb: 'retry' }],
      ['Main__B', { verb: 'proceed' }],
    ],
  });
  const fork = await project.resume(project.fork(old.run, 4) as RunId, {
    answers: [
      ['L__P', { verb: 'next' }],
      ['Main__B', { verb: 'jump', block: 'Main__C' as never }],
    ],
  });
  expect(fork.response.success).toBe(true);
  expect(fork.response.path.map(line).slice(4)).toEqual([
    '5 /Main__A#1[0] L__Q#1 SIGNAL:SUCCESS RETURN',
    '6 / Main__B#1 - JUMP:Main__C',
    '7 / Main__C#1 SIGNAL:SUCCESS RETURN',
  ]);
});

/**
 * A workflow with two halts. The gate halts first and is not part of the fork. The flagged block halts second and is
 * part of it.
 */
const TWO_ASK: Scene = {
  name: 'two ask',
  manifest: manifestOf({
    Main: { A: goes('FORK:L,R'), B: returns },
    L: { P: { ...returns, gate: true } },
    R: { X: flags('RETURN') },
  }),
  script: { R__X: [say('FAILURE', { delay_ms: 5 })], '*': [say('SUCCESS')] },
};

test('no two halts of a fork have one id, and each takes its own answer', async () => {
  const project = openProject(TWO_ASK);
  const old = await project.start({ answers: [['L__P', { verb: 'proceed' }]] });
  expect(pathOf(project.entries(old.run)).map(line)).toEqual([
    '1 / Main__A#1 SIGNAL:SUCCESS FORK:L,R',
    '2 /Main__A#1[1] R__X#1 SIGNAL:FAILURE HALT_AND_FLAG',
    '3 /Main__A#1[0] L__P#1 SIGNAL:SUCCESS RETURN',
  ]);
  const run = project.fork(old.run, 3) as RunId;
  const fork = await project.resume(run);
  expect(haltsOf(fork.response).map(({ halt_id, block }) => [block, halt_id])).toEqual([
    ['L__P', 'h3'],
    ['R__X', 'h2'],
  ]);
  const answered = await project.resume(run, {
    answers: [
      ['R__X', { verb: 'next' }],
      ['L__P', { verb: 'proceed' }],
    ],
  });
  expect(answered.response.success).toBe(true);
});

test('a fork at what a person cut off with an abort goes on without it', async () => {
  const project = openProject(TWO_ASK);
  const old = await project.start({ answers: [['R__X', { verb: 'abort' }]] });
  expect(old.response.reason).toBe('cancelled');
  expect(old.response.path.map(line).slice(2)).toEqual(['3 /Main__A#1[0] L__P#1 - -']);
  const fork = await project.resume(project.fork(old.run, 3) as RunId);
  expect(waiting(fork.response)).toEqual(['L__P gate', 'R__X flagged']);
});

/**
 * A workflow in which a person retries A's failed call, so that one visit of A has two look-ups, each followed by the
 * visits of a call.
 */
const CALLS_TWICE: Scene = {
  name: 'a call that fails, and is made again by a person',
  manifest: manifestOf({
    Main: { A: { rows: { SUCCESS: 'CALL:Sub', ERROR: 'HALT_AND_FLAG' } }, B: returns },
    Sub: { X: goes('JUMP:Y'), Y: returns },
  }),
  script: {
    Sub__Y: [{ error: 'boom' }, say('SUCCESS')],
    '*': [say('SUCCESS')],
    '@halts': [{ block: 'Main__A', answer: 'retry' }],
  },
};

test('look-ups of one visit are on both sides of the cut', async () => {
  const project = openProject(CALLS_TWICE);
  const old = await project.start();
  const path = old.response.path.map(line);
  expect(path).toEqual([
    '1 / Main__A#1 SIGNAL:SUCCESS CALL:Sub',
    '2 /Main__A#1 Sub__X#1 SIGNAL:SUCCESS JUMP:Sub__Y',
    '3 /Main__A#1 Sub__Y#1 SIGNAL:ERROR -',
    '1 / Main__A#1 SIGNAL:ERROR HALT_AND_FLAG',
    '1 / Main__A#1 SIGNAL:SUCCESS CALL:Sub',
    '4 /Main__A#1~2 Sub__X#1 SIGNAL:SUCCESS JUMP:Sub__Y',
    '5 /Main__A#1~2 Sub__Y#1 SIGNAL:SUCCESS RETURN',
    '6 / Main__B#1 SIGNAL:SUCCESS RETURN',
  ]);
  const known = (step: number) => pathOf(project.entries(project.fork(old.run, step) as RunId)).map(line);
  expect(known(2)).toEqual(path.slice(0, 1));
  expect(known(3)).toEqual(path.slice(0, 2));
  expect(known(4)).toEqual(path.slice(0, 5));
  expect(known(6)).toEqual(path.slice(0, 7));
});

test('steps are those of what holds: an execution that was taken back is none of them', async () => {
  const manifest = manifestOf({
    Main: { A: goes('FORK:L,R'), B: returns },
    L: { P: goes('JUMP:Q'), Q: returns },
    R: { X: returns },
  });
  const script = {
    R__X: [{ error: 'boom', delay_ms: 5 }, say('SUCCESS', { delay_ms: 9 })],
    L__Q: [say('SUCCESS', { delay_ms: 7 })],
    '*': [say('SUCCESS')],
  };
  const project = openProject({ name: 'failed once', manifest, script });
  const failed = await project.start();
  expect(failed.response.path.map(line).slice(2)).toEqual([
    '3 /Main__A#1[1] R__X#1 SIGNAL:ERROR -',
    '4 /Main__A#1[0] L__Q#1 - -',
    '1 / Main__A#1 SIGNAL:ERROR -',
  ]);
  const old = await project.resume(failed.run, {}, { retry: true });
  expect(old.response.path.map(line).slice(2)).toEqual([
    '3 /Main__A#1[0] L__Q#1 SIGNAL:SUCCESS RETURN',
    '4 /Main__A#1[1] R__X#1 SIGNAL:SUCCESS RETURN',
    '5 / Main__B#1 SIGNAL:SUCCESS RETURN',
  ]);
  expect(project.fork(old.run, 6)).toBeNull();
  for (const step of [1, 2, 3, 4, 5]) {
    const fork = await project.resume(project.fork(old.run, step) as RunId);
    // The script begins with a failure. Only at step 5 do the kept steps include the one that consumed this failure.
    expect(fork.response.success, `@${step}`).toBe(step === 5);
  }
});
