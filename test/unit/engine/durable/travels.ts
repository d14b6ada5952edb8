import type { JsonObject } from '#protocol/json.ts';
import { goes, manifestOf, returns } from './manifest-sketch.ts';
import type { Scene } from './stored-runs.ts';

type BlockSketch = ReturnType<typeof goes>;

const orHalt = (action: string): BlockSketch => ({ rows: { SUCCESS: action, FAIL_DEFAULT: 'HALT_AND_FLAG' } });
const orElse = (action: string, other: string): BlockSketch => ({ rows: { SUCCESS: action, FAIL_DEFAULT: other } });

const says = (signal: string, content: string, more: object = {}) => ({
  signal: `SIGNAL:${signal}`,
  append: [{ type: 'NOTE', content }],
  ...more,
});
const ok = (content = 'done', more: object = {}) => says('SUCCESS', content, more);
const failure = (content = 'no', more: object = {}) => says('FAILURE', content, more);
const boom = (more: object = {}) => ({ error: 'boom', ...more });

export interface TravelScene extends Scene {
  readonly script: JsonObject;
  /**
   * True if two branches run at the same time. A fork restarts executions in progress, so their steps may finish in
   * another order.
   */
  readonly parallel?: true;
}

const LINE: TravelScene = {
  name: 'a line',
  input: 'make it',
  manifest: manifestOf({ Main: { A: goes('JUMP:B'), B: goes('JUMP:C'), C: returns } }),
  script: {
    Main__A: [ok('a', { exports: { a: 1 } })],
    Main__B: [ok('b'.repeat(9_000), { exports: { b: [1, 2] }, delay_ms: 40 })],
    Main__C: [says('SUCCESS', 'c', { exports: { a: 2 } })],
  },
};

const LOOP: TravelScene = {
  name: 'a loop with a counted script',
  manifest: manifestOf({ Main: { Write: goes('JUMP:Test'), Test: orElse('RETURN', 'JUMP:Write') } }),
  script: {
    Main__Write: [
      ok('one', { exports: { n: 1 } }),
      ok('two', { exports: { n: 2 } }),
      ok('three', { exports: { n: 3 } }),
    ],
    Main__Test: [failure('first'), failure('second'), ok('third')],
  },
};

const NESTED: TravelScene = {
  name: 'calls in calls, and a tail call',
  manifest: manifestOf({
    Main: { A: goes('CALL:One'), B: goes('CALL:One'), C: goes('CALL:Tail') },
    One: { X: goes('CALL:Two'), Y: returns },
    Two: { P: goes('JUMP:Q'), Q: returns },
    Tail: { T: returns },
  }),
  script: {
    Two__Q: [ok('q1', { exports: { q: 1 } }), ok('q2', { exports: { q: 2 } })],
    '*': [ok('first'), ok('second'), ok('third')],
  },
};

const FAILING_CALL: TravelScene = {
  name: 'a failing call, looked up twice',
  manifest: manifestOf({
    Main: { A: { rows: { SUCCESS: 'CALL:Sub', ERROR: 'JUMP:Mend' } }, B: returns, Mend: goes('CALL:Sub:B') },
    Sub: { X: goes('JUMP:Y'), Y: returns },
  }),
  script: { Sub__Y: [boom(), ok('y')], '*': [ok()] },
};

const FORK: TravelScene = {
  name: 'branches of different length',
  parallel: true,
  manifest: manifestOf({
    Main: { A: goes('FORK:L,R'), B: returns },
    L: { P: goes('JUMP:Q'), Q: goes('JUMP:S'), S: returns },
    R: { X: goes('JUMP:Y'), Y: returns },
  }),
  script: {
    L__P: [ok('p', { delay_ms: 10, exports: { l: 1 } })],
    L__Q: [ok('q', { delay_ms: 10 })],
    L__S: [ok('s', { delay_ms: 10, exports: { l: 3 } })],
    R__X: [ok('x', { delay_ms: 15, exports: { r: 1 } })],
    R__Y: [ok('y', { delay_ms: 30, exports: { l: 9 } })],
    '*': [ok()],
  },
};

const DEEP_FORK: TravelScene = {
  name: 'a fork in a call in a fork',
  parallel: true,
  manifest: manifestOf({
    Main: { A: goes('FORK:L,R,L'), B: returns },
    L: { P: goes('CALL:Sub'), Q: returns },
    R: { X: goes('JUMP:Y'), Y: returns },
    Sub: { S: goes('FORK:R,Leaf'), T: returns },
    Leaf: { Z: returns },
  }),
  script: {
    L__P: [ok('p', { delay_ms: 5 })],
    R__X: [ok('x', { delay_ms: 7 })],
    Leaf__Z: [ok('z', { delay_ms: 20 })],
    Sub__T: [ok('t', { delay_ms: 3 })],
    '*': [ok()],
  },
};

const ASKED: TravelScene = {
  name: 'a gate, a flagged block, guidance',
  manifest: manifestOf({
    Main: { A: { ...orHalt('JUMP:B'), gate: true }, B: orHalt('JUMP:C'), C: { ...returns, gate: true }, D: returns },
    Other: { O: goes('JUMP:Main__C') },
  }),
  script: {
    Main__A: [ok('a')],
    Main__B: [failure('b1'), failure('b2')],
    '*': [ok()],
    '@halts': [
      { block: 'Main__A', answer: 'proceed', guidance: 'gently' },
      { block: 'Main__B', answer: 'retry', guidance: 'again' },
      { block: 'Main__B', answer: 'jump', to: 'Other__O' },
      { block: 'Main__C', answer: 'next' },
    ],
  },
};

const ASKED_BRANCH: TravelScene = {
  name: 'a branch that asks while its sibling goes on',
  parallel: true,
  manifest: manifestOf({
    Main: { A: goes('FORK:L,R'), B: returns },
    L: { P: orHalt('JUMP:Q'), Q: { ...returns, gate: true } },
    R: { X: goes('JUMP:Y'), Y: goes('JUMP:Z'), Z: returns },
  }),
  script: {
    L__P: [failure('p1', { delay_ms: 12 }), ok('p2', { delay_ms: 12 })],
    '*': [ok('so', { delay_ms: 10 })],
    '@halts': [
      { block: 'L__P', answer: 'retry' },
      { block: 'L__Q', answer: 'proceed' },
    ],
  },
};

const RECOVERED: TravelScene = {
  name: 'retries and a repair beside a sibling',
  parallel: true,
  manifest: manifestOf({
    Main: { A: goes('FORK:L,R'), B: returns },
    L: {
      P: {
        ...returns,
        recovery: {
          worker_error: [
            { policy: 'retry', max_attempts: 2, delay_ms: 10 },
            { policy: 'repair', worker: 'Worker:Fixer' },
          ],
        },
      },
    },
    R: { X: goes('JUMP:Y'), Y: returns },
  }),
  script: {
    L__P: [boom({ delay_ms: 5 }), boom({ delay_ms: 5 }), ok('at last', { delay_ms: 5 })],
    'Worker:Fixer': [ok('mended', { delay_ms: 8 })],
    '*': [ok('so', { delay_ms: 12 })],
  },
};

const JUMPS: TravelScene = {
  name: 'jumps across nodes inside a call',
  manifest: manifestOf({
    Main: { A: goes('CALL:One'), B: returns },
    One: { X: orElse('RETURN', 'JUMP:Two__Y') },
    Two: { Y: goes('JUMP:One__X') },
  }),
  script: { One__X: [failure('1'), failure('2'), ok('3')], '*': [ok()] },
};

const CANCELLED_BRANCH: TravelScene = {
  name: 'a failing branch cancels the other, the fork is made again',
  parallel: true,
  manifest: manifestOf({
    Main: { A: { rows: { SUCCESS: 'FORK:L,R', ERROR: 'HALT_AND_FLAG' } }, B: returns },
    L: { P: goes('JUMP:Q'), Q: returns },
    R: { X: goes('JUMP:Y'), Y: returns },
  }),
  script: {
    R__Y: [boom({ delay_ms: 10 })],
    L__Q: [ok('q', { delay_ms: 100 })],
    '*': [ok()],
    '@halts': [{ block: 'Main__A', answer: 'jump', to: 'Main__B' }],
  },
};

const EVERYTHING: TravelScene = {
  name: 'calls, forks, halts, gates, recovery and jumps across nodes, nested',
  parallel: true,
  input: 'all of it',
  manifest: manifestOf({
    Main: { A: goes('CALL:Outer'), B: { ...returns, gate: true } },
    Outer: { O: goes('FORK:L,R'), E: returns },
    L: {
      P: orHalt('CALL:Sub'),
      Q: { ...orElse('RETURN', 'JUMP:Away__W') },
    },
    R: {
      X: {
        rows: { SUCCESS: 'FORK:Leaf,Leaf', ERROR: 'JUMP:Y' },
        recovery: { '*': [{ policy: 'retry', max_attempts: 3, delay_ms: 4 }] },
      },
      Y: returns,
    },
    Sub: { S: { ...goes('JUMP:T'), gate: true }, T: orHalt('RETURN') },
    Leaf: { Z: orHalt('RETURN') },
    Away: { W: goes('JUMP:L__Q') },
  }),
  script: {
    L__P: [failure('p1', { delay_ms: 3 }), ok('p2', { delay_ms: 3, exports: { p: 2 } })],
    L__Q: [failure('q1', { delay_ms: 2 }), ok('q2')],
    Sub__T: [failure('t', { delay_ms: 9 })],
    R__X: [boom({ delay_ms: 2 }), ok('x', { delay_ms: 2, exports: { x: 'x'.repeat(10_000) } })],
    Leaf__Z: [failure('z1', { delay_ms: 6 }), ok('z2', { delay_ms: 6 })],
    '*': [ok('so', { delay_ms: 1 })],
    '@halts': [
      { block: 'L__P', answer: 'retry', guidance: 'try once more' },
      { block: 'Sub__S', answer: 'proceed' },
      { block: 'Sub__T', answer: 'next' },
      { block: 'Leaf__Z', answer: 'retry' },
      { block: 'Leaf__Z', answer: 'next' },
      { block: 'Main__B', answer: 'proceed' },
    ],
  },
};

const FAILED: TravelScene = {
  name: 'a run that failed in a branch of a call',
  parallel: true,
  manifest: manifestOf({
    Main: { A: goes('CALL:Sub'), B: returns },
    Sub: { S: goes('FORK:L,R'), T: returns },
    L: { P: goes('JUMP:Q'), Q: returns },
    R: { X: goes('JUMP:Y'), Y: returns },
  }),
  script: { R__Y: [says('WHAT', 'nobody knows', { delay_ms: 10 })], L__Q: [ok('q', { delay_ms: 50 })], '*': [ok()] },
};

const HALTED: TravelScene = {
  name: 'a run that waits in two branches',
  parallel: true,
  manifest: manifestOf({
    Main: { A: goes('FORK:L,R'), B: returns },
    L: { P: orHalt('JUMP:Q'), Q: returns },
    R: { X: goes('JUMP:Y'), Y: { ...returns, gate: true } },
  }),
  script: { L__P: [failure('p', { delay_ms: 10 })], '*': [ok('so', { delay_ms: 3 })] },
};

/** A run that exceeds its step limit. A repeated step is counted once. */
const TOO_LONG: TravelScene = {
  name: 'a run that went on for too long',
  manifest: manifestOf({ Main: { A: goes('JUMP:B'), B: goes('JUMP:A') } }, { max_run_steps: 7 }),
  script: { '*': [ok()] },
};

export const TRAVELS: readonly TravelScene[] = [
  LINE,
  LOOP,
  NESTED,
  FAILING_CALL,
  FORK,
  DEEP_FORK,
  ASKED,
  ASKED_BRANCH,
  RECOVERED,
  JUMPS,
  CANCELLED_BRANCH,
  EVERYTHING,
  FAILED,
  HALTED,
  TOO_LONG,
];
