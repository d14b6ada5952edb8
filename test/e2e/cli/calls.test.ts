import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callRecord } from '../../support/call-record.ts';
import { verifies } from '../verifies.ts';
import { type Project, project } from './robosmith.ts';

let here: Project;
beforeAll(async () => {
  here = await project({ '.flow/.keep': '', '.vision/workflows.json': '{}' });
  const logs = path.join(here.folder, '.vision', 'logs');
  mkdirSync(logs, { recursive: true });
  const write = (number: number, record: object): void =>
    writeFileSync(path.join(logs, `2026-11-21T08-00-0${number}-000Z-c000000${number}.json`), JSON.stringify(record));
  write(1, callRecord(1));
  write(
    2,
    callRecord(2, {
      answer: { text: 'One.\n\u001b[2JThree.', finish: 'stop' },
      cost: { micro_usd: null, source: null },
    }),
  );
  write(3, { v: 1 });
});
afterAll(() => here.remove());

const json = async (...args: readonly string[]): Promise<unknown> => {
  const { out, code } = await here.robosmith(...args, '--json');
  expect(code).toBe(0);
  return JSON.parse(out) as unknown;
};

test('calls lists them, the newest first, and names what is damaged', async () => {
  verifies('workers.pool.call-log-commands');
  const { out, err, code } = await here.robosmith('calls');
  expect(code).toBe(0);
  expect(
    out
      .split('\n')
      .slice(0, 3)
      .map((line) => line.replace(/\S+$/, '').trim().replace(/ {2,}/g, ' | ')),
  ).toEqual([
    'call | block | model | outcome | key | tokens | cost | time |'.replace(/ \|$/, ''),
    'c0000002 | Main__Write | anthropic/claude-x | ok (2) | second | 100+20 | ? | 1.5s',
    'c0000001 | Main__Write | anthropic/claude-x | ok (2) | second | 100+20 | $0.000600 | 1.5s',
  ]);
  expect(err).toContain('c0000003.json is not a readable call record');
  expect(await json('calls', 'list', '--limit', '1')).toMatchObject({
    ok: true,
    calls: [{ call: 'c0000002', micro_usd: null }],
  });
  const { run } = callRecord(1);
  expect(await json('calls', '--run', run ?? '')).toMatchObject({
    calls: [{ call: 'c0000002' }, { call: 'c0000001' }],
  });
});

test.each([['calls'], ['calls cost']])('%s of an unknown run is an error, not an empty list', async (command) => {
  const { code, err } = await here.robosmith(...command.split(' '), '--run', 'nope');
  expect([code, err]).toEqual([2, expect.stringContaining('✗ usage  There is no run "nope" in this project.')]);
});

test('calls show has prompt, attempts and answer, and steers no terminal', async () => {
  verifies('workers.pool.call-log-commands');
  const { out, code } = await here.robosmith('calls', 'show', 'c0000002');
  expect(code).toBe(0);
  for (const part of [
    'first: rate_limit 429 after 40ms',
    'second: ok after 1.5s, 100+20 tokens, $0.000600',
    'Make it\ngreen.',
    'One.\nThree.',
  ])
    expect(out).toContain(part);
  expect(out).not.toContain('\u001b');
  expect(await json('calls', 'show', 'c0000001')).toEqual({ ok: true, call: callRecord(1) });
});

test('calls diff shows two side by side', async () => {
  verifies('workers.pool.call-log-commands');
  const { out } = await here.robosmith('calls', 'diff', 'c0000001', 'c0000002');
  expect(out).toMatch(/^Two\. +~ Three\.$/m);
  expect(out).toMatch(/^One\. {3,}One\.$/m);
  expect(await json('calls', 'diff', 'c0000001', 'c0000002')).toMatchObject({
    facts: [
      { name: 'signal', left: 'SIGNAL:SUCCESS', right: 'SIGNAL:NO_SIGNAL' },
      { name: 'cost_micro_usd', left: '600', right: null },
    ],
    segments: [],
    words: { same: 1, left_only: 2, right_only: 1 },
  });
});

test('calls cost says what is not known', async () => {
  verifies('workers.pool.call-log-commands', 'workers.ai.prices');
  const { out } = await here.robosmith('calls', 'cost', '--by', 'block');
  expect(out).toMatch(/^Main__Write +2 +200 +80 +40 +at least \$0\.000600$/m);
  expect(out).toContain('1 call has no known price, so the real sum is higher.');
  expect(await json('calls', 'cost')).toMatchObject({ by: 'model', all: { calls: 2, micro_usd: 600, unknown: 1 } });
});

test.each([
  [['calls', 'show', 'cffff'], 'There is no call "cffff"'],
  [['calls', 'show', 'c'], 'is the beginning of 3 calls'],
  [['calls', 'show', 'c0000003'], "can't be read as a call"],
  [['calls', 'cost', '--by', 'mood'], '"mood" is not a grouping of costs'],
  [['calls', 'shwo'], 'not a command of calls'],
  [['calls', '--limit', 'x'], 'not a number of calls'],
])('%j is refused with what to do', async (args, message) => {
  const { code, err } = await here.robosmith(...args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});
