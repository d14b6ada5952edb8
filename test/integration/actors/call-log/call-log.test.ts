import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { indexWriter, listCalls, type LogPlace, pruneCalls, readCall, writeCall } from '#actors/call-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { redactorOf } from '#io/providers/redact.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { callRecord } from '../../../support/call-record.ts';
import { verifies } from '../../../e2e/verifies.ts';

const KEY = 'sk-log-5b6c7d8e9f0a1b2c3d4e5f6071829304';
const redact = redactorOf([KEY, 'short']);
const asIs = (text: string): string => text;

let base = '';
let place: LogPlace;
beforeEach(() => {
  base = mkdtempSync(path.join(os.tmpdir(), 'robosmith-calls-'));
  place = { calls: fileCalls, folder: path.join(base, '.vision', 'logs') };
});
afterEach(() => rmSync(base, { recursive: true }));

const files = (): readonly string[] => readdirSync(place.folder).sort();
const names = (): readonly string[] => listCalls(place).calls.map(({ call }) => call);
const indexFile = (): string => path.join(place.folder, 'index.jsonl');

test('a call is a file with all its attempts, that only its owner reads; the newest is listed first', () => {
  verifies('workers.pool.call-log');
  for (const number of [1, 2]) expect(writeCall(place, callRecord(number), redact)).toBeNull();
  expect(files()).toEqual([
    '2026-11-21T08-00-01-000Z-c0000001.json',
    '2026-11-21T08-00-02-000Z-c0000002.json',
    'index.jsonl',
  ]);
  if (process.platform !== 'win32')
    expect(statSync(path.join(place.folder, files()[0] ?? '')).mode & 0o777).toBe(0o600);
  expect(readCall(place, 'c0000001')).toEqual({ kind: 'read', record: callRecord(1), file: files()[0] });
  const summary = {
    call: 'c0000001',
    file: '2026-11-21T08-00-01-000Z-c0000001.json',
    started_at: 1_795_248_001_000,
    origin: null,
    run: 'r3f2a91',
    session: null,
    block: 'Main__Write',
    provider: 'anthropic',
    model: 'claude-x',
    key: 'second',
    outcome: 'ok',
    attempts: 2,
    input: 100,
    output: 20,
    cached: 40,
    micro_usd: 600,
    ms: 1_500,
  };
  expect(listCalls(place)).toEqual({ calls: [expect.objectContaining({ call: 'c0000002' }), summary], damaged: [] });
});

test('no key is written, however it is spelled; nor the login of an address', () => {
  verifies('workers.pool.secrets');
  const [request, attempts] = [callRecord(1).request, callRecord(1).attempts];
  const said = `${KEY} ${encodeURIComponent(KEY)} ${btoa(KEY)}`;
  const failure = writeCall(
    place,
    callRecord(1, {
      request: {
        ...request,
        base_url: 'https://me:hunter2@example.com/v1',
        segments: [{ layer: 1, name: KEY, role: 'user', text: said, tokens: 1 }],
      },
      attempts: attempts.map((one) => ({ ...one, raw: said })),
      answer: { text: said, finish: 'stop' },
    }),
    redact,
  );
  expect(failure).toBeNull();
  const all = files()
    .map((file) => readFileSync(path.join(place.folder, file), 'utf8'))
    .join('\n');
  expect(all).toContain('[key] [key] [key]');
  // A call whose request contained a key can't be repeated unchanged. A call with a key only in its answer can.
  expect(readCall(place, 'c0000001')).toMatchObject({ record: { request: { redacted: true } } });
  writeCall(place, callRecord(2, { answer: { text: said, finish: 'stop' } }), redact);
  const other = readCall(place, 'c0000002');
  expect(other.kind === 'read' && other.record.request).toEqual(request);
  for (const hidden of [KEY, btoa(KEY), 'hunter2']) expect(all).not.toContain(hidden);
});

test('a call is found by the beginning of its id', () => {
  for (const number of [1, 2, 0x100]) writeCall(place, callRecord(number), asIs);
  expect(readCall(place, 'c00001')).toMatchObject({ kind: 'read', record: { call: 'c0000100' } });
  expect(readCall(place, 'c000000')).toEqual({ kind: 'ambiguous', calls: ['c0000001', 'c0000002'] });
  expect(readCall(place, 'd')).toEqual({ kind: 'missing' });
  expect(readCall(place, '')).toEqual({ kind: 'missing' });
});

test('what has never been logged is an empty log', () => {
  expect(listCalls(place)).toEqual({ calls: [], damaged: [] });
});

test('the files are the log: what the index lacks, or has torn, is read from them, and put back', () => {
  verifies('workers.pool.call-log');
  for (const number of [1, 2, 3]) writeCall(place, callRecord(number), asIs);
  const index = readFileSync(indexFile());
  writeFileSync(indexFile(), index.subarray(0, index.length - 30));
  expect(names()).toEqual(['c0000003', 'c0000002', 'c0000001']);
  rmSync(path.join(place.folder, files()[2] ?? ''));
  expect(names()).toEqual(['c0000002', 'c0000001']);
  rmSync(indexFile());
  expect(names()).toEqual(['c0000002', 'c0000001']);
  expect(readFileSync(indexFile(), 'utf8').trim().split('\n')).toHaveLength(2);
});

test('whatever is in the index, the calls are those of the files', () => {
  for (const number of [1, 2]) writeCall(place, callRecord(number), asIs);
  fc.assert(
    fc.property(fc.string(), fc.nat(), (junk, at) => {
      const text = readFileSync(indexFile(), 'utf8');
      writeFileSync(indexFile(), text.slice(0, at % (text.length + 1)) + junk);
      expect(names()).toEqual(['c0000002', 'c0000001']);
      appendFileSync(indexFile(), `\n${junk}`);
      expect(names()).toEqual(['c0000002', 'c0000001']);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ['', 'it is not a JSON object'],
  ['[]', 'it is not a JSON object'],
  ['{"v":2}', 'it was written by another version of RoboSmith'],
  ['{"v":1,"call":"c7"}', 'it belongs to another call than its name says'],
  ['{"v":1,"call":"c1"}', 'fields of the call record are missing'],
  [
    JSON.stringify({ ...callRecord(1), call: 'c1', request: { segments: [null] } }),
    'fields of the call record are missing',
  ],
])('a file that is no call is named, and nothing else is hidden by it: %s', (text, why) => {
  writeCall(place, callRecord(2), asIs);
  const file = '2026-11-21T08-00-01-000Z-c1.json';
  writeFileSync(path.join(place.folder, file), text);
  writeFileSync(path.join(place.folder, 'notes.txt'), 'mine');
  expect(listCalls(place)).toMatchObject({ calls: [{ call: 'c0000002' }], damaged: [{ file, why }] });
  expect(readCall(place, 'c1')).toEqual({ kind: 'damaged', file, why });
});

const RECORD = callRecord(1);

test.each([
  ['no list of what was cut', { ...RECORD, request: { ...RECORD.request, cut: undefined } }],
  ['a segment without a name', { ...RECORD, request: { ...RECORD.request, segments: [{ text: 'x' }] } }],
  ['a time that no calendar has', { ...RECORD, started_at: 1e17 }],
  ['an attempt without times', { ...RECORD, attempts: [{ key: 'k', outcome: 'ok' }] }],
])('a record with %s is damaged', (_name, record) => {
  writeCall(place, RECORD, asIs);
  const [file = ''] = files();
  writeFileSync(path.join(place.folder, file), JSON.stringify(record));
  writeFileSync(indexFile(), '');
  const damaged = { file, why: 'fields of the call record are missing' };
  expect(readCall(place, 'c0000001')).toEqual({ kind: 'damaged', ...damaged });
  expect(listCalls(place)).toEqual({ calls: [], damaged: [damaged] });
});

test('a line of the index with a time that no calendar has is passed over', () => {
  writeCall(place, RECORD, asIs);
  const line = readFileSync(indexFile(), 'utf8').replace(String(RECORD.started_at), '1e17');
  writeFileSync(indexFile(), line);
  expect(listCalls(place).calls).toMatchObject([{ started_at: RECORD.started_at }]);
});

test.each(['makeFolder', 'open', 'write', 'rename', 'close'] as const)(
  'a call does not fail for its log: %s',
  (name) => {
    writeCall(place, callRecord(1), asIs);
    // `makeFolder` is called only if the folder is missing, so the folder is removed to make that call fail.
    if (name === 'makeFolder') rmSync(place.folder, { recursive: true });
    const failing: FileCalls = {
      ...fileCalls,
      [name]: () => {
        throw Object.assign(new Error(`ENOSPC: no space, ${KEY}`), { code: 'ENOSPC' });
      },
    };
    const failure = writeCall({ ...place, calls: failing }, callRecord(2), redact);
    expect(failure).toBe('the call c0000002 could not be logged: ENOSPC: no space, [key]');
    expect(readCall(place, 'c0000002').kind).toBe('missing');
    expect(names()).toEqual(name === 'makeFolder' ? [] : ['c0000001']);
  },
);

test('who writes many calls writes the index in groups; what it has not written yet is read from the files', () => {
  const index = indexWriter(place);
  const write = (number: number): void => void writeCall(place, callRecord(number), asIs, index.add);
  const lines = (): readonly string[] => readFileSync(indexFile(), 'utf8').trim().split('\n');
  for (let number = 1; number <= 31; number += 1) write(number);
  expect(files()).not.toContain('index.jsonl');
  write(32);
  expect(lines()).toHaveLength(32);
  write(33);
  expect(lines()).toHaveLength(32);
  expect(names()).toHaveLength(33);
  write(34);
  index.close();
  expect(names().slice(0, 2)).toEqual(['c0000022', 'c0000021']);
  expect(new Set(lines())).toHaveLength(34);
  index.close();
  expect(new Set(lines())).toHaveLength(34);
});

test('a log is kept for as long, as many and as large as is asked', () => {
  verifies('workers.pool.call-log-retention');
  const day = (number: number): Date => new Date(Date.UTC(2026, 10, number));
  for (const number of [1, 2, 3, 4, 5]) {
    writeCall(place, callRecord(number), asIs);
    utimesSync(path.join(place.folder, files()[number - 1] ?? ''), day(number), day(number));
  }
  const { size } = statSync(path.join(place.folder, files()[0] ?? ''));
  const now = day(6).getTime();
  expect(pruneCalls(place, {}, now, 'u1').calls).toEqual([]);
  expect(pruneCalls(place, { before: day(2).getTime() }, now, 'u2')).toEqual({ calls: ['c0000001'], freed: size });
  expect(pruneCalls(place, { keep: 3 }, now, 'u3').calls).toEqual(['c0000002']);
  expect(pruneCalls(place, { bytes: 2 * size }, now, 'u4').calls).toEqual(['c0000003']);
  expect(names()).toEqual(['c0000005', 'c0000004']);
  expect(readFileSync(indexFile(), 'utf8')).not.toContain('c0000003');
});

test('what a crash has left of a write goes after a while', () => {
  writeCall(place, callRecord(1), asIs);
  const [old, young] = ['a.json.x.tmp', 'b.json.y.tmp'];
  for (const name of [old, young]) writeFileSync(path.join(place.folder, name), '');
  utimesSync(path.join(place.folder, old), new Date(0), new Date(0));
  pruneCalls(place, {}, Date.now(), 'u');
  expect(files()).toEqual([expect.stringContaining('c0000001'), young, 'index.jsonl']);
});

test.each([{ key: 5 }, { block: {} }, { provider: null }, { attempts: '2' }, { micro_usd: '6' }, { input: [] }])(
  'a line of the index with %o is not believed: the file is read',
  (wrong) => {
    writeCall(place, callRecord(1), asIs);
    const listed = listCalls(place);
    writeFileSync(indexFile(), JSON.stringify({ ...listed.calls[0], ...wrong }));
    expect(listCalls(place)).toEqual(listed);
  },
);

test.each([{ block: 5 }, { run: {} }, { origin: true }, { cost: { micro_usd: '6' } }])(
  'a call with %o is damaged',
  (wrong) => {
    writeCall(place, callRecord(1), asIs);
    const [file = ''] = files();
    writeFileSync(path.join(place.folder, file), JSON.stringify({ ...callRecord(1), ...wrong }));
    expect(readCall(place, 'c0000001')).toEqual({
      kind: 'damaged',
      file,
      why: 'fields of the call record are missing',
    });
  },
);
