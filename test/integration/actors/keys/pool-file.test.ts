import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPoolFile } from '#actors/keys/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { createTestClock } from '../../../model/keys/test-clock.ts';
import {
  bad,
  type Behaviour,
  good,
  key,
  NO_SCOPE,
  poolUnderTest,
  REQUEST,
  START,
} from '../../../unit/actors/keys/pool-under-test.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'key-pool-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const KEYS = [key('one', { account: 'acme' }), key('two', { account: 'acme' }), key('three'), key('four')];
const BUDGETS = { run: { microUsd: null, tokens: 310, requests: null } };
const request = { ...REQUEST, maxOutputTokens: 100 };
const scope = { ...NO_SCOPE, run: 'r1' };
const stateFile = (): string => path.join(folder, '.flow', 'key-pool.jsonl');

/** Opens the pool of one process; a second call simulates a restart. */
function begin(behave: Behaviour, calls: FileCalls = fileCalls) {
  const reports: string[] = [];
  let made = 0;
  const file = openPoolFile({
    calls,
    file: stateFile(),
    newId: () => `n${(made += 1)}`,
    now: () => START,
    report: (message) => reports.push(message),
  });
  return { ...poolUnderTest(KEYS, behave, { file }), file, fileReports: reports };
}

const mixed: Behaviour = (alias) =>
  alias === 'one'
    ? bad(429, '', { headers: { 'retry-after': '90' } })
    : alias === 'three'
      ? bad(401, '{"error":{"message":"Incorrect API key provided: sk-secret-three"}}')
      : good('fine');

test('what is known of keys and what was spent survives a restart, and no secret is written', async () => {
  verifies('workers.pool.budgets', 'workers.pool.secrets');
  const before = begin(mixed);
  await before.pool.execute(before.order({ request, scope, budgets: BUDGETS }));
  before.pool.setDisabled('two', true);
  const table = before.pool.table();
  expect(table.map(({ state }) => state)).toEqual(['cooling', 'disabled', 'invalid', 'healthy']);
  before.file.close();

  const after = begin(mixed);
  expect(after.pool.table()).toEqual(table);
  const again = () => after.pool.execute(after.order({ request, scope, budgets: BUDGETS }));
  expect(await again()).toMatchObject({ kind: 'answered', key: 'four' });
  expect(await again()).toMatchObject({ kind: 'answered', key: 'four' });
  expect(await again()).toMatchObject({ kind: 'over_budget', over: { scope: 'run', spent: 300 } });
  after.pool.renew('three');
  expect(after.pool.table()[2]).toMatchObject({ state: 'healthy' });
  after.file.close();
  expect(begin(mixed).pool.table()[2]).toMatchObject({ state: 'healthy' });
  expect(readFileSync(stateFile(), 'utf8')).not.toContain('sk-secret');
});

test('calls that a kill cut off are charged with the least that they took, once, however often a process begins', async () => {
  const before = begin(() => new Promise(() => undefined));
  for (let call = 0; call < 2; call += 1) void before.pool.execute(before.order({ request, scope, budgets: BUDGETS }));
  await Promise.resolve();
  const tight = { run: { microUsd: null, tokens: 20, requests: null } };
  for (let restart = 0; restart < 3; restart += 1) {
    const after = begin(() => good('fine'));
    expect(await after.pool.execute(after.order({ request, scope, budgets: tight }))).toMatchObject({
      kind: 'over_budget',
      over: { spent: 14 },
    });
    await after.pool.execute(after.order());
    after.file.close();
  }
});

test('what can be secret in an address is not written', async () => {
  const baseUrl = 'https://me:sk-secret-login@h/v1?key=sk-secret-query';
  const keys = [key('one', { baseUrl })];
  const file = openPoolFile({
    calls: fileCalls,
    file: stateFile(),
    newId: () => 'n',
    now: () => START,
    report: (message) => expect(message).toBe(''),
  });
  const { pool, order } = poolUnderTest(keys, () => bad(500), { file });
  expect(await pool.execute(order({ request: { ...REQUEST, baseUrl } }))).toMatchObject({ kind: 'exhausted' });
  file.close();
  const text = readFileSync(stateFile(), 'utf8');
  expect(text).toContain('endpoint:openai:https://h/v1"');
  expect(text).not.toContain('sk-secret');
});

test('damaged, torn and foreign lines are passed over, and told', async () => {
  const before = begin(mixed);
  await before.pool.execute(before.order());
  before.file.close();
  const text = readFileSync(stateFile(), 'utf8');
  const hostile = [
    '{"kind":"stands","gate":"key:four","standing":{"state":"healthy","until":-1}}',
    'null',
    '[]',
    '{"ki',
  ];
  writeFileSync(stateFile(), [...hostile.slice(0, 3), text.trimEnd(), hostile[3]].join('\n'));
  const after = begin(mixed);
  expect(after.fileReports).toEqual(['key-pool.jsonl: 4 unreadable lines were skipped']);
  expect(after.pool.table()).toEqual(before.pool.table());
});

test('a disk that is full is told of once, stops no call, and what it lost is written when it has room again', async () => {
  let full = false;
  const write: FileCalls['write'] = (...args) => {
    if (full) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    return fileCalls.write(...args);
  };
  const { pool, order, file, fileReports } = begin(mixed, { ...fileCalls, write });
  await pool.execute(order());
  full = true;
  pool.setDisabled('four', true);
  expect(await pool.execute(order())).toMatchObject({ kind: 'exhausted' });
  expect(fileReports).toEqual(["key-pool.jsonl can't be written: ENOSPC: no space left"]);
  full = false;
  pool.setDisabled('two', true);
  const table = pool.table();
  file.close();
  expect(begin(mixed).pool.table()).toEqual(table);
});

test('what was noted by a clock that was set back since rests as long as it would have, not until that time comes again', async () => {
  const [minute, year] = [60_000, 365 * 86_400_000];
  const refused = bad(429, '', { headers: { 'retry-after': '60' } });
  const lifeAt = (time: number, behave: Behaviour) => {
    const { clock, advance } = createTestClock(time);
    const parts = { calls: fileCalls, file: stateFile(), newId: () => 'n', now: clock.now };
    const file = openPoolFile({ ...parts, report: (message) => expect(message).toBe('') });
    return { ...poolUnderTest([key('one')], behave, { file, clock }), file, advance };
  };
  const ahead = lifeAt(START + year, () => refused);
  await ahead.pool.execute(ahead.order());
  ahead.file.close();
  for (const life of [lifeAt(START, () => good('fine')), lifeAt(START, () => good('fine'))]) {
    expect(life.pool.table()).toMatchObject([{ state: 'cooling', until: START + minute }]);
    life.pool.setDisabled('one', true);
    life.pool.setDisabled('one', false);
    life.file.close();
  }
  const after = lifeAt(START + minute, () => good('fine'));
  expect(await after.pool.execute(after.order())).toMatchObject({ kind: 'answered' });
  after.file.close();
});
