import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { InboxEntry, SessionState, SessionTab } from '#protocol/generated/view.gen.ts';
import { noticeClaims } from '../../../src/extension/notices/claim-notice.ts';
import { isShown, newNotices, type Noticed } from '../../../src/extension/notices/new-notices.ts';

const tab = (key: string, state: SessionState): SessionTab => ({
  key,
  session: key,
  run: `r-${key}`,
  title: `Session ${key}`,
  state,
  health: { colour: 'green', reason: '' },
  overlap: 'none' as SessionTab['overlap'],
  queue: 'running' as SessionTab['queue'],
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

const state = (sessions: readonly SessionTab[], inbox: readonly InboxEntry[] = []): Noticed => ({ sessions, inbox });

test('a new halt is told, with the place that shows it; a known one and other entries are not', () => {
  const before = state([], [entry('known', 'halt')]);
  const now = state([], [entry('known', 'halt'), entry('new', 'halt'), entry('other', 'session')]);
  expect(newNotices(before, now)).toEqual([
    {
      ...{ key: 'new', kind: 'halt', title: 'Sign in', text: 'The tests fail.' },
      ...{ tab: 'a', block: 'Build__Test', halt: 'h1' },
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
  const told = newNotices(state([tab('a', from)]), state([tab('a', to)]));
  expect(told.map(({ kind }) => kind)).toEqual(kinds);
  expect(told.map(({ key }) => key)).toEqual(kinds.map(() => 'end a r-a'));
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

function folder(): string {
  const made = mkdtempSync(path.join(os.tmpdir(), 'robosmith-claims-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return path.join(made, 'notices');
}

test('of several windows one claims a notice; projects and notices do not claim for each other', async () => {
  const at = folder();
  const windows = Array.from({ length: 5 }, () => noticeClaims(at, '/one', () => 0));
  const claimed = await Promise.all(windows.map((window) => window.claim('halt')));
  expect(claimed.filter(Boolean)).toEqual([true]);
  expect(await noticeClaims(at, '/two', () => 0).claim('halt')).toBe(true);
  expect(await windows[0]?.claim('other')).toBe(true);
  expect(await windows[1]?.claim('other')).toBe(false);
});

test('old claims are removed, and a folder that cannot be written claims nothing away', async () => {
  const at = folder();
  await noticeClaims(at, '/one', Date.now).claim('old');
  const [old = ''] = readdirSync(at);
  utimesSync(path.join(at, old), 0, 0);
  await noticeClaims(at, '/one', Date.now).claim('new');
  expect(readdirSync(at)).toHaveLength(1);
  expect(readdirSync(at)).not.toContain(old);
  const file = path.join(at, 'file');
  writeFileSync(file, '');
  expect(await noticeClaims(path.join(file, 'below'), '/one', Date.now).claim('x')).toBe(true);
});
