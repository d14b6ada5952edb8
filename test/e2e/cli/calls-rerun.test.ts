import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CallRecord } from '#protocol/call-record.ts';
import { callRecord } from '../../support/call-record.ts';
import { type Fault, type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { verifies } from '../verifies.ts';
import { type Ended, ended, type Project, project, start } from './robosmith.ts';

const SECRET = 'sk-test-0123456789abcdef';
const ELSEWHERE = 'https://models.example.org/v1';
const ANSWER = 'Hello from the model.\nSIGNAL:SUCCESS';

let server: FaultServer;
let here: Project;
let logs: string;
beforeEach(async () => {
  server = await startFaultServer();
  here = await project({ '.flow/.keep': '', '.vision/workflows.json': MANIFEST });
  logs = path.join(here.folder, '.vision', 'logs');
  mkdirSync(logs, { recursive: true });
});
afterEach(async () => {
  await here.remove();
  await server.close();
});

const MANIFEST = {
  version: 1,
  entry: 'Main',
  workers: { 'Worker:A': { kind: 'scripted', answers: './answers.json' } },
  nodes: { Main: { entry_block: 'A', blocks: { A: { worker: 'Internal:ManualIntervention' } } } },
};

const original = (fault: Fault, more: Partial<CallRecord> = {}, url = server.url(fault)): CallRecord => {
  const made = callRecord(1, more);
  const record = {
    ...made,
    pool: null,
    request: { ...made.request, provider: 'openai-compatible' as const, model: 'tiny', base_url: url },
  };
  writeFileSync(path.join(logs, '2026-11-21T08-00-01-000Z-c0000001.json'), JSON.stringify(record));
  return record;
};

const robosmith = (
  fault: Fault,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> =>
  ended(start(args, here.folder, { ROBOSMITH_KEY_LOCAL: SECRET, ROBOSMITH_URL_LOCAL: server.url(fault), ...more }));

const logged = (): readonly CallRecord[] =>
  readdirSync(logs)
    .filter((name) => name.endsWith('.json') && !name.includes('c0000001'))
    .sort()
    .map((name) => JSON.parse(readFileSync(path.join(logs, name), 'utf8')) as CallRecord);

interface Sent {
  readonly model: string;
  readonly temperature?: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const sent = (): readonly Sent[] => server.seen.map(({ body }) => JSON.parse(body) as Sent);

test('a logged call is sent again as it was: a new record that points to its origin, beside it the old answer', async () => {
  verifies('workers.pool.call-log-commands', 'cli.calls', 'acceptance.logged-call', 'success.5-rerun');
  const before = original('none');
  const { code, out, err } = await robosmith('none', ['calls', 'rerun', 'c000']);
  expect(err).toContain('Hello from the model.');
  expect(code).toBe(0);
  expect(sent()).toMatchObject([
    {
      model: 'tiny',
      temperature: 0,
      messages: [
        { role: 'system', content: 'Write it.' },
        { role: 'user', content: 'Make it\ngreen.' },
      ],
    },
  ]);
  expect(out).toMatch(/^One\. +~ Hello from the model\.$/m);
  const [made] = logged();
  expect(made).toMatchObject({
    origin: 'c0000001',
    run: null,
    block: 'Main__Write',
    outcome: 'ok',
    answer: { text: ANSWER },
  });
  expect(made?.request.segments).toEqual(before.request.segments);
  // A rerun changes neither the original record nor the list of runs.
  expect(JSON.parse(readFileSync(path.join(logs, '2026-11-21T08-00-01-000Z-c0000001.json'), 'utf8'))).toEqual(before);
  expect(JSON.parse((await here.robosmith('runs', '--json')).out)).toMatchObject({ runs: [] });
  expect(`${out}${err}`).not.toContain(SECRET.slice(3, 14));
});

test('with other words, another model and temperature, several times', async () => {
  verifies('workers.pool.call-log-commands', 'acceptance.logged-call');
  original('none');
  writeFileSync(here.file('message.txt'), 'Make it blue.');
  const args = [
    '--model',
    'other',
    '--temperature',
    '0.5',
    '--set-instructions',
    'Be brief.',
    '--message',
    '@message.txt',
  ];
  const { code, out } = await robosmith('none', ['calls', 'rerun', 'c0000001', ...args, '--times', '2', '--json']);
  expect(code).toBe(0);
  expect(sent()).toMatchObject(
    [1, 2].map(() => ({
      model: 'other',
      temperature: 0.5,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Make it blue.' },
      ],
    })),
  );
  const { origin, calls } = JSON.parse(out) as { readonly origin: string; readonly calls: readonly object[] };
  expect(origin).toBe('c0000001');
  expect(calls).toMatchObject(
    [1, 2].map(() => ({
      call: { origin: 'c0000001', outcome: 'ok' },
      verdict: { signal: 'SIGNAL:SUCCESS', valid: null },
      comparison: { left: 'c0000001', words: { same: 1, left_only: 2, right_only: 4 } },
    })),
  );
});

test('an editor gets the request piece by piece, and what it leaves is sent', async () => {
  verifies('acceptance.logged-call');
  original('none');
  const editor = `${process.execPath} -e "const fs=require('fs');const f=process.argv[1];fs.writeFileSync(f,fs.readFileSync(f,'utf8').replace('green','red').replace('model: tiny','model: big'))"`;
  const { code } = await robosmith('none', ['calls', 'rerun', 'c0000001', '--edit'], { EDITOR: editor, VISUAL: '' });
  expect(code).toBe(0);
  expect(sent()).toMatchObject([{ model: 'big', messages: [{ content: 'Write it.' }, { content: 'Make it\nred.' }] }]);
  const emptied = await robosmith('none', ['calls', 'rerun', 'c0000001', '--edit'], {
    EDITOR: 'truncate -s 0',
    VISUAL: '',
  });
  expect(emptied.code).toBe(2);
  expect(emptied.err).toContain('Nothing was sent');
  expect(server.seen).toHaveLength(1);
});

test('one that had failed is sent again; one that fails again is in the log and says so', async () => {
  verifies('workers.pool.call-log-commands');
  original('none', {
    outcome: 'network',
    answer: null,
    tokens_used: null,
    attempts: [],
    cost: { micro_usd: null, source: null },
  });
  expect((await robosmith('none', ['calls', 'rerun', 'c0000001'])).code).toBe(0);
  original('status-400');
  const { code, err } = await robosmith('status-400', ['calls', 'rerun', 'c0000001']);
  expect(code).toBe(1);
  expect(err).toContain('bad_request');
  expect(logged().map(({ outcome }) => outcome)).toEqual(['ok', 'bad_request']);
});

test('without a key for that address nothing is sent', async () => {
  original('none', {}, ELSEWHERE);
  const { code, err } = await here.robosmith('calls', 'rerun', 'c0000001');
  expect(code).toBe(3);
  expect(err).toContain(`there is no key for ${ELSEWHERE}`);
  expect(server.seen).toEqual([]);
  expect(logged()).toEqual([]);
});

test.each([
  [['--times', '0'], 'not a number from 1 to 100'],
  [['--temperature', 'hot'], 'not a temperature'],
  [['--provider', 'elsewhere'], 'not a provider'],
  [['--provider', 'openai'], 'Name a model with --model'],
  [['--base-url', 'file:///etc'], 'not the URL of a server'],
  [['--edit', '--request', 'x.txt'], "can't be combined"],
  [['--request', 'x.txt'], 'it contains no piece'],
  [['--edit'], 'No editor can be opened here'],
])('%j is refused with what to do, and nothing is sent', async (args, message) => {
  original('none');
  const { code, err } = await robosmith('none', ['calls', 'rerun', 'c0000001', ...args], { EDITOR: '', VISUAL: '' });
  expect(err).toContain(message);
  expect(code).toBe(2);
  expect(server.seen).toEqual([]);
});

test('a request that had a key in it is not sent as it was; one that was pruned is gone', async () => {
  const made = original('none');
  const segments = made.request.segments.map((one) => (one.layer === 1 ? { ...one, text: 'My key is [key].' } : one));
  const record = { ...made, request: { ...made.request, segments, redacted: true } };
  writeFileSync(path.join(logs, '2026-11-21T08-00-01-000Z-c0000001.json'), JSON.stringify(record));
  const refused = await robosmith('none', ['calls', 'rerun', 'c0000001']);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('The request of c0000001 contained a key');
  expect(server.seen).toEqual([]);
  expect((await robosmith('none', ['calls', 'rerun', 'c0000001', '--message', 'No key.'])).code).toBe(0);
  const pruned = await robosmith('none', ['calls', 'rerun', 'c0009999']);
  expect(pruned.code).toBe(2);
  expect(pruned.err).toContain('It may have been removed by `robosmith runs prune`');
});

test('a manifest with errors says nothing of pools and budgets, so nothing is sent', async () => {
  original('none');
  writeFileSync(here.file('.vision/workflows.json'), '{ "version": 1 }');
  const { code, err } = await robosmith('none', ['calls', 'rerun', 'c0000001']);
  expect(code).toBe(2);
  expect(err).toContain('robosmith validate');
  expect(server.seen).toEqual([]);
});
