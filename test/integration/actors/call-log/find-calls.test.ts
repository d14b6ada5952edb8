import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CallQuery, findCalls, pruneCalls, writeCall } from '#actors/call-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { pick, seed, seededRandom } from '../../../support/seeded-random.ts';
import { callRecord } from '../../../support/call-record.ts';

const ANY: CallQuery = {
  text: null,
  outcome: null,
  block: null,
  model: null,
  run: null,
  costAbove: null,
  since: null,
};

const WORDS = ['parser', 'lexer', 'Ünïcode', 'timeout', 'green', 'x1', 'schema', 'retry'] as const;

/** A time at which the folder counts as settled, so that checks of it are noted. */
const LATER = Date.now() + 86_400_000;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'robosmith-find-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const place = () => ({ calls: fileCalls, folder });

/** Creates a call with random words in its prompt, its answer or the body of a failed attempt. */
function randomCall(number: number, random: () => number): CallRecord {
  const base = callRecord(number);
  const word = (): string => WORDS[pick(random, WORDS.length)] ?? '';
  const [segment] = base.request.segments;
  const [attempt] = base.attempts;
  if (segment === undefined || !attempt?.facts) throw new Error('the sample has changed');
  return {
    ...base,
    outcome: random() < 0.7 ? 'ok' : 'timeout',
    block: `Main__${random() < 0.5 ? 'Write' : 'Review'}` as CallRecord['block'],
    cost: { micro_usd: random() < 0.1 ? null : pick(random, 1000), source: null },
    request: {
      ...base.request,
      model: random() < 0.5 ? 'claude-x' : 'gpt-y',
      segments: [{ ...segment, text: `${word()} ${word()}-${word()}` }],
    },
    attempts: [{ ...attempt, facts: { ...attempt.facts, body: word() }, raw: random() < 0.5 ? word() : null }],
    answer: random() < 0.3 ? null : { text: `${word()}.`, finish: 'stop' },
  };
}

/** Decides on the records themselves whether a call matches. */
function isWanted(one: CallRecord, query: CallQuery): boolean {
  const text = [
    ...one.request.segments.map((segment) => segment.text),
    one.answer?.text ?? '',
    ...one.attempts.flatMap(({ facts, raw, outcome }) => [facts?.body ?? '', facts?.error ?? '', raw ?? '', outcome]),
    one.outcome,
  ];
  const wanted = query.text?.toLowerCase() ?? '';
  return (
    text.some((part) => part.toLowerCase().includes(wanted)) &&
    (query.outcome === null || (query.outcome === 'failed' ? one.outcome !== 'ok' : one.outcome === query.outcome)) &&
    (query.block === null || one.block?.includes(query.block) === true) &&
    (query.model === null || `${one.request.provider}/${one.request.model}`.includes(query.model)) &&
    (query.costAbove === null || (one.cost.micro_usd ?? 0) > query.costAbove) &&
    (query.since === null || one.started_at >= query.since)
  );
}

test(`calls are found as in their records, with and without an index (ROBOSMITH_SEED=${seed})`, () => {
  const random = seededRandom(seed);
  let records: readonly CallRecord[] = Array.from({ length: 120 }, (_, number) => randomCall(number, random));
  for (const record of records) expect(writeCall(place(), record, (text) => text)).toBeNull();
  for (let turn = 0; turn < 150; turn += 1) {
    const maybe = <Value>(value: Value): Value | null => (random() < 0.4 ? value : null);
    const query: CallQuery = {
      ...ANY,
      text: maybe(WORDS[pick(random, WORDS.length)] ?? ''),
      outcome: maybe(['ok', 'timeout', 'failed'][pick(random, 3)] ?? ''),
      block: maybe('Review'),
      model: maybe(['gpt', 'anthropic/claude-x'][pick(random, 2)] ?? ''),
      costAbove: maybe(pick(random, 900)),
      since: maybe(records[pick(random, records.length)]?.started_at ?? 0),
    };
    const expected = records.filter((one) => isWanted(one, query)).map(({ call }) => call);
    const found = findCalls(place(), query, 1_000, LATER).map(({ call }) => call);
    expect(found, `${turn} ${JSON.stringify(query)}`).toEqual(expected.toReversed());
    // Caches may be lost or cut off at any place; calls may be removed.
    const cache = ['index.jsonl', 'words.bin'][pick(random, 2)] ?? '';
    const file = path.join(folder, cache);
    if (turn % 10 === 3) rmSync(file, { force: true });
    if (turn % 10 === 6) {
      findCalls(place(), { ...ANY, text: 'green' }, 1, LATER);
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.subarray(0, pick(random, bytes.length)));
    }
    if (turn === 60) {
      pruneCalls(place(), { keep: 50 }, Date.now(), 'unique');
      records = records.slice(-50);
    }
  }
});

test('the newest calls come first, up to the limit', () => {
  for (let number = 0; number < 5; number += 1) writeCall(place(), callRecord(number), (text) => text);
  const calls = findCalls(place(), { ...ANY, text: 'MAKE IT' }, 2, LATER);
  expect(calls.map(({ call }) => call)).toEqual(['c0000004', 'c0000003']);
});
