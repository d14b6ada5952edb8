import { expect, test } from 'vitest';
import { summarise } from '#actors/journal/index.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { RunStatus } from '#protocol/run-status.ts';
import { verifies } from '../../../e2e/verifies.ts';

const HEADER = {
  type: 'run',
  version: 1,
  run: 'r1',
  trace: 't1',
  at: 0,
  started: { start: { node: 'Main' }, input: null, stepMode: false, source: null, script: null, scripts: {} },
  manifest: { blob: 'b', bytes: 1 },
  directory: null,
  forkedFrom: null,
} as unknown as JournalEntry;

const intent = (key: string) => ({ type: 'intent', key, attempt: 1, worker: 'X', sideEffects: 'none', at: 1 });
const halt = (key: string, id: string) => ({
  type: 'halt',
  key,
  halt: id,
  block: 'B',
  why: 'gate',
  until: null,
  at: 2,
});
const answer = (key: string, id: string, verb = 'proceed') => ({
  type: 'answer',
  key,
  halt: id,
  answer: { verb },
  at: 3,
});
const looked = (frame: string, action: string | null, signal: string | null = 'SIGNAL:SUCCESS') => ({
  type: 'path',
  entry: {
    step: 1,
    frame,
    node: 'Main',
    block: 'Main__A',
    visit: 1,
    attempts: 1,
    depth: 0,
    signal,
    via: 'match',
    action,
  },
});

const FORKED = [intent('/Main__A#1'), looked('/', 'FORK:L,R')];
const L = '/Main__A#1[0]';
const R = '/Main__A#1[1]';

test.each([
  ['a branch waits, and of the other nothing is known yet', [halt(`${L}/L__A#1`, 'h1')], 'running'],
  ['a branch waits, the other executes', [halt(`${L}/L__A#1`, 'h1'), intent(`${R}/R__A#1`)], 'running'],
  [
    'a branch waits, the other is between two blocks',
    [halt(`${L}/L__A#1`, 'h1'), intent(`${R}/R__A#1`), looked(R, 'JUMP:R__B')],
    'running',
  ],
  [
    'a branch waits, the other has called and the callee has not begun',
    [halt(`${L}/L__A#1`, 'h1'), intent(`${R}/R__A#1`), looked(R, 'CALL:S')],
    'running',
  ],
  [
    'a branch waits, the callee of the other waits too',
    [halt(`${L}/L__A#1`, 'h1'), looked(R, 'CALL:S'), halt(`${R}/R__A#1/S__A#1`, 'h2')],
    'halted',
  ],
  ['a branch waits, the other has returned', [halt(`${L}/L__A#1`, 'h1'), looked(R, 'RETURN')], 'halted'],
  ['both wait', [halt(`${L}/L__A#1`, 'h1'), halt(`${R}/R__A#1`, 'h2')], 'halted'],
  [
    'one of both has its answer',
    [halt(`${L}/L__A#1`, 'h1'), halt(`${R}/R__A#1`, 'h2'), answer(`${R}/R__A#1`, 'h2')],
    'running',
  ],
  [
    'one waits, the other was sent on to where its node ends, which no line says',
    [halt(`${L}/L__A#1`, 'h1'), halt(`${R}/R__A#1`, 'h2'), answer(`${R}/R__A#1`, 'h2', 'next')],
    'halted',
  ],
  [
    'one waits, the other was sent on to its next block',
    [
      ...[halt(`${L}/L__A#1`, 'h1'), halt(`${R}/R__A#1`, 'h2'), answer(`${R}/R__A#1`, 'h2', 'next')],
      intent(`${R}/R__B#1`),
    ],
    'running',
  ],
  [
    'one waits, the other returns with its callee',
    [halt(`${L}/L__A#1`, 'h1'), looked(R, 'CALL:S'), looked(`${R}/R__A#1`, 'RETURN')],
    'halted',
  ],
  [
    'one waits, the other goes on after its callee',
    [halt(`${L}/L__A#1`, 'h1'), looked(R, 'CALL:S'), looked(`${R}/R__A#1`, 'RETURN'), intent(`${R}/R__B#1`)],
    'running',
  ],
  ['nobody waits', [intent(`${R}/R__A#1`)], 'running'],
] as readonly [string, readonly object[], RunStatus][])('%s: %s', (_what, entries, status) => {
  verifies('engine.halt.fork-siblings');
  const summary = summarise([HEADER, ...FORKED, ...entries] as readonly JournalEntry[]);
  expect(summary?.status).toBe(status);
});

test('the root that waits is a run that waits', () => {
  const entries = [HEADER, halt('/Main__A#1', 'h1')] as readonly JournalEntry[];
  expect(summarise(entries)).toMatchObject({ status: 'halted', halts: [{ halt_id: 'h1', frame: '/' }] });
});
