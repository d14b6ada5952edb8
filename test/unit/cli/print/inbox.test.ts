import { expect, test } from 'vitest';
import { printInbox } from '#cli/print/inbox.ts';
import type { BlockId, FramePath, HaltId, NodeId, RunId, SessionId } from '#protocol/id.ts';
import type { WaitingHalt } from '#protocol/inbox.ts';
import { fakeIo } from '../../../support/fake-io.ts';

const halt = (more: Partial<WaitingHalt>): WaitingHalt => ({
  halt_id: 'h1' as HaltId,
  block: 'Edit__E' as BlockId,
  frame: '/' as FramePath,
  why: 'flagged',
  since: Date.now(),
  until: null,
  node: 'Edit' as NodeId,
  steps: 1,
  run: 'r0a1b2c3d4e5f' as RunId,
  session: null,
  title: null,
  answers: ['robosmith resume r0a1b2c3d4e5f --retry'],
  ...more,
});

function printed(...waiting: readonly WaitingHalt[]): string {
  const io = fakeIo();
  printInbox({ waiting, sessions: [], damaged: [], interrupted: [] }, { hosted: new Set(), changes: new Map() }, io);
  return io.out();
}

const session = 's71c889e9' as SessionId;

test('halts of two sessions in one block are told apart by the titles of their sessions', () => {
  const text = printed(
    halt({ session, title: 'fix the login' }),
    halt({ session: 's3b5ae344' as SessionId, title: 'add a feature' }),
  );
  expect(text).toMatch(/■ fix the login · Edit__E {2}\S+ {2}Its transition halts the run\./);
  expect(text).toMatch(/■ add a feature · Edit__E {2}\S+ {2}Its transition halts the run\./);
});

test('a halt without a session is named after its block', () => {
  expect(printed(halt({}))).toMatch(/^■ Edit__E {2}/);
});

test('a halt after a command says how the command ended, though it has printed nothing', () => {
  const last = {
    type: 'COMMAND_RESULT',
    content: '',
    scripted: false,
    summary: 'sh -c exit 7 exited with 7 after 9 ms',
  };
  expect(printed(halt({ last }))).toContain('  | sh -c exit 7 exited with 7 after 9 ms\n');
});

test('a dependency that a worktree lacks is told for a session only', () => {
  const last = { type: 'COMMAND_RESULT', content: 'x', scripted: false, hint: '"ava" is not installed' };
  expect(printed(halt({ last, session, title: 'T' }))).toContain('  "ava" is not installed\n');
  expect(printed(halt({ last }))).not.toContain('not installed');
});

test.each([
  [
    "node:internal\n\nError: ENOENT: no such file 'util.js'\n    at open (fs)\n  code: 'ENOENT',\n  path: 'util.js'\n}\n\nNode.js v24",
    "Error: ENOENT: no such file 'util.js'",
  ],
  ['one\ntwo\nthree\nfour', 'two'],
])('of an output the inbox shows the lines that name the failure, else the last ones', (content, first) => {
  const lines = printed(halt({ last: { type: 'FAILURE', content, scripted: false } })).split('\n');
  expect(lines.find((line) => line.startsWith('  | '))).toBe(`  | ${first}`);
});
