import { expect, test } from 'vitest';
import type { InboxEntry, SessionState, SessionTab } from '#protocol/generated/view.gen.ts';
import { isShown, newNotices, type NoticeSource } from '../../../src/extension/notices/new-notices.ts';

const tab = (key: string, state: SessionState): SessionTab => ({
  key,
  session: key,
  run: `r-${key}`,
  title: `Session ${key}`,
  state,
  health: { colour: 'green', reason: '' },
  overlap: 'Clear',
  queue: 'running',
  order: null,
  waits: null,
  clashes: [],
  branch: null,
  baseBranch: null,
  hasWorktree: true,
  needsPerson: false,
  why: 'Its run has ended.',
});

const entry = (key: string, kind: InboxEntry['kind']): InboxEntry => ({
  key,
  kind,
  session: 'a',
  run: 'r-a',
  halt: 'h1',
  block: 'Build__Test',
  title: 'Sign in',
  text: 'The tests fail.',
  since: null,
  commands: [],
});

const state = (sessions: readonly SessionTab[], inbox: readonly InboxEntry[] = []): NoticeSource => ({
  sessions,
  inbox,
});

test('a new halt is told, with the place that shows it; a known one and other entries are not', () => {
  const before = state([], [entry('known', 'halt')]);
  const now = state([], [entry('known', 'halt'), entry('new', 'halt'), entry('other', 'session')]);
  expect(newNotices(before, now)).toEqual([
    {
      key: 'new',
      kind: 'halt',
      title: 'Sign in',
      text: 'The tests fail.',
      tab: 'a',
      block: 'Build__Test',
      halt: 'h1',
    },
  ]);
});

test.each<[SessionState, SessionState, readonly string[]]>([
  ['running', 'ready', ['ready']],
  ['running', 'failed', ['failed']],
  ['running', 'merged', ['merged']],
  ['halted', 'ready', ['ready']],
  ['running', 'halted', []],
  ['ready', 'merged', []],
  ['ready', 'ready', []],
  ['queued', 'running', []],
  ['running', 'discarded', []],
])('from %s to %s: %j', (from, to, kinds) => {
  const notices = newNotices(state([tab('a', from)]), state([tab('a', to)]));
  expect(notices.map(({ kind }) => kind)).toEqual(kinds);
  expect(notices.map(({ key }) => key)).toEqual(kinds.map(() => 'end a r-a'));
});

test('what was there before the window is not told', () => {
  expect(newNotices(null, state([tab('a', 'ready')], [entry('x', 'halt')]))).toEqual([]);
});

test('the setting decides, and whether the user looks at Mission Control', () => {
  const cases = (['away', 'always', 'never'] as const).map((when) => [isShown(when, true), isShown(when, false)]);
  expect(cases).toEqual([
    [false, true],
    [true, true],
    [false, false],
  ]);
});
