import type { RunOptions } from '#protocol/run.ts';
import type { ScriptEntry, ScriptedAnswer } from '#protocol/script.ts';

/** The definition of one stored journal. */
export interface KeptScene {
  readonly manifest: object;
  readonly answers: Readonly<Record<string, readonly ScriptEntry[]>>;
  readonly halts?: readonly ScriptedAnswer[];
  readonly options?: Partial<RunOptions>;
  /** The intervention in the run after a number of virtual events. */
  readonly then?: 'interrupt and resume' | 'crash and resume' | 'cancel';
}

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });
const OTHERWISE = row('FAIL_DEFAULT', 'HALT_AND_FLAG');
const block = (...transitions: readonly object[]) => ({ worker: 'Worker:X', transitions });

const manifest = (nodes: object) => ({
  version: 1,
  workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
  nodes,
});

const OK = { signal: 'SIGNAL:SUCCESS' };
const note = (content: string): ScriptEntry => ({ ...OK, append: [{ type: 'NOTE', content }] });
const ALL = { '*': [note('done')] };

const SUB = { entry_block: 'S', blocks: { S: block(row('SUCCESS', 'JUMP:T'), OTHERWISE), T: { worker: 'Worker:X' } } };

export const SCENES: Readonly<Record<string, KeptScene>> = {
  call: {
    manifest: manifest({
      Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'CALL:Sub:B'), OTHERWISE), B: { worker: 'Worker:X' } } },
      Sub: SUB,
    }),
    answers: ALL,
  },
  'fork-in-another-order': {
    manifest: manifest({
      Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'FORK:One,Two,Sub'), OTHERWISE), B: { worker: 'Worker:X' } } },
      One: { entry_block: 'S', blocks: { S: block(row('SUCCESS', 'CALL:Sub'), OTHERWISE) } },
      Two: { entry_block: 'S', blocks: { S: { worker: 'Worker:X' } } },
      Sub: SUB,
    }),
    answers: {
      ...ALL,
      One__S: [{ ...note('slow'), delay_ms: 50 }],
      Two__S: [{ ...note('slower'), delay_ms: 70 }],
    },
  },
  'fork-that-fails': {
    manifest: manifest({
      Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'FORK:Good,Bad'), row('ERROR', 'JUMP:B')), B: { worker: 'Worker:X' } } },
      Good: { entry_block: 'S', blocks: { S: block(row('SUCCESS', 'JUMP:T')), T: { worker: 'Worker:X' } } },
      Bad: { entry_block: 'S', blocks: { S: block(row('SUCCESS', 'RETURN')) } },
    }),
    answers: { ...ALL, Bad__S: [{ error: 'boom', delay_ms: 20 }], Good__T: [{ ...note('late'), delay_ms: 99 }] },
  },
  'recovery-and-repair': {
    manifest: manifest({
      Main: {
        entry_block: 'A',
        blocks: {
          A: {
            ...block(row('SUCCESS', 'RETURN'), OTHERWISE),
            recovery: {
              worker_error: [
                { policy: 'retry', max_attempts: 2, delay_ms: 10 },
                { policy: 'repair', worker: 'Worker:X' },
              ],
            },
          },
        },
      },
    }),
    answers: { Main__A: [{ error: 'one' }, { error: 'two' }, note('three')], 'Worker:X': [note('repaired')] },
  },
  'halt-with-guidance': {
    manifest: manifest({ Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'JUMP:B'), OTHERWISE), B: { worker: 'Worker:X' } } } }),
    answers: { ...ALL, Main__A: [{ signal: 'SIGNAL:FAILURE' }, note('after guidance')] },
    halts: [{ block: 'Main__A', answer: 'retry', guidance: 'once more, with feeling' }],
  },
  'gate-and-jump': {
    manifest: manifest({
      Main: {
        entry_block: 'A',
        blocks: { A: block(row('SUCCESS', 'JUMP:B'), OTHERWISE), B: { ...block(OTHERWISE), gate: true }, C: { worker: 'Worker:X' } },
      },
    }),
    answers: ALL,
    halts: [{ block: 'Main__B', answer: 'jump', to: 'Main__C' }],
  },
  'step-mode': {
    manifest: manifest({ Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'JUMP:B'), OTHERWISE), B: { worker: 'Worker:X' } } } }),
    answers: ALL,
    halts: [
      { block: 'Main__A', answer: 'proceed' },
      { block: 'Main__B', answer: 'next' },
    ],
    options: { stepMode: true },
  },
  'jump-to-another-node': {
    manifest: manifest({
      Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'JUMP:Sub__T'), OTHERWISE) } },
      Sub: SUB,
    }),
    answers: ALL,
    options: { input: 'what the user asked for' },
  },
  'large-results': {
    manifest: manifest({ Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'JUMP:B'), OTHERWISE), B: { worker: 'Worker:X' } } } }),
    answers: { ...ALL, Main__A: [note('grüße '.repeat(2_000))] },
  },
  halted: {
    manifest: manifest({ Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'HALT_AND_FLAG')) } } }),
    answers: ALL,
  },
  failed: {
    manifest: manifest({ Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'RETURN')) } } }),
    answers: { Main__A: [{ signal: 'SIGNAL:UNKNOWN' }] },
  },
  cancelled: {
    manifest: manifest({ Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'JUMP:B'), OTHERWISE), B: { worker: 'Worker:X' } } } }),
    answers: { ...ALL, Main__B: [{ ...note('never'), delay_ms: 1_000 }] },
    then: 'cancel',
  },
  interrupted: {
    manifest: manifest({ Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'JUMP:B'), OTHERWISE), B: { worker: 'Worker:X' } } } }),
    answers: { ...ALL, Main__B: [{ ...note('at last'), delay_ms: 1_000 }] },
    then: 'interrupt and resume',
  },
  crashed: {
    manifest: manifest({ Main: { entry_block: 'A', blocks: { A: block(row('SUCCESS', 'JUMP:B'), OTHERWISE), B: { worker: 'Worker:X' } } } }),
    answers: { ...ALL, Main__B: [{ ...note('at last'), delay_ms: 1_000 }] },
    then: 'crash and resume',
  },
};
