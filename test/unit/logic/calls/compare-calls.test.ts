import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareCalls } from '#logic/calls/compare-calls.ts';
import { compareTexts } from '#logic/calls/compare-texts.ts';
import { sumCalls } from '#logic/calls/sum-calls.ts';
import { summariseCall } from '#logic/calls/summarise-call.ts';
import { callRecord } from '../../../support/call-record.ts';
import { verifies } from '../../../e2e/verifies.ts';

test('two calls beside each other: what was asked differently, and what came of it', () => {
  verifies('workers.pool.call-log-commands');
  const left = callRecord(1);
  const right = callRecord(2, {
    request: {
      ...left.request,
      temperature: 0.5,
      segments: left.request.segments.map((one) => (one.layer === 1 ? { ...one, text: 'Make it\nblue.' } : one)),
    },
    answer: { text: 'One.\nSIGNAL:SUCCESS', finish: 'stop' },
    cost: { micro_usd: null, source: null },
  });
  expect(compareCalls(left, right)).toEqual({
    left: 'c0000001',
    right: 'c0000002',
    facts: [
      { name: 'temperature', left: '0', right: '0.5' },
      { name: 'cost_micro_usd', left: '600', right: null },
    ],
    segments: [
      {
        name: '1 USER_INPUT s.1',
        rows: [
          { left: 'Make it', right: 'Make it', same: true },
          { left: 'green.', right: 'blue.', same: false },
        ],
      },
    ],
    answer: [
      { left: 'One.', right: 'One.', same: true },
      { left: 'Two.', right: null, same: false },
      { left: 'SIGNAL:SUCCESS', right: 'SIGNAL:SUCCESS', same: true },
    ],
    words: { same: 2, left_only: 1, right_only: 0 },
  });
});

test('each side is its whole text, in order, and equal lines beside each other are the most there can be', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 7 });
  const common = (one: readonly string[], other: readonly string[]): number => {
    const [head, ...rest] = one;
    if (head === undefined) return 0;
    const at = other.indexOf(head);
    return Math.max(common(rest, other), at < 0 ? 0 : 1 + common(rest, other.slice(at + 1)));
  };
  fc.assert(
    fc.property(text, text, (one, other) => {
      const rows = compareTexts(one.join('\n'), other.join('\n'));
      expect(rows.flatMap(({ left }) => left ?? [])).toEqual(one);
      expect(rows.flatMap(({ right }) => right ?? [])).toEqual(other);
      for (const { left, right, same } of rows) expect(left !== null && left === right).toBe(same);
      expect(rows.filter(({ same }) => same)).toHaveLength(common(one, other));
    }),
  );
});

test('texts that differ in every one of very many lines are one change', () => {
  const lines = (word: string): string => Array.from({ length: 3_000 }, (_, index) => `${word}${index}`).join('\n');
  const rows = compareTexts(lines('a'), lines('b'));
  expect(rows).toHaveLength(3_000);
  expect(rows[17]).toEqual({ left: 'a17', right: 'b17', same: false });
});

test('sums keep what is unknown apart: it is never zero', () => {
  verifies('workers.ai.prices', 'workers.pool.call-log-commands');
  const summaries = [
    callRecord(1),
    callRecord(2, { cost: { micro_usd: null, source: null } }),
    callRecord(3, { block: 'Main__Test', cost: { micro_usd: 1_000, source: 'user' } }),
    callRecord(4, { tokens_used: null, cost: { micro_usd: null, source: null }, outcome: 'network' }),
  ].map((record) => summariseCall(record, 'f'));
  const sum = { calls: 3, input: 200, output: 40, cached: 80, micro_usd: 600, unknown: 1, at_least: 0, repriced: 0 };
  expect(sumCalls(summaries, 'block')).toEqual({
    groups: [
      {
        name: 'Main__Test',
        calls: 1,
        input: 100,
        output: 20,
        cached: 40,
        micro_usd: 1_000,
        unknown: 0,
        at_least: 0,
        repriced: 0,
      },
      { name: 'Main__Write', ...sum },
    ],
    all: {
      name: 'all',
      calls: 4,
      input: 300,
      output: 60,
      cached: 120,
      micro_usd: 1_600,
      unknown: 1,
      at_least: 0,
      repriced: 0,
    },
  });
  expect(sumCalls(summaries, 'day').groups.map(({ name }) => name)).toEqual(['2026-11-21']);
  expect(sumCalls([], 'model')).toEqual({
    groups: [],
    all: { name: 'all', calls: 0, input: 0, output: 0, cached: 0, micro_usd: 0, unknown: 0, at_least: 0, repriced: 0 },
  });
});

test('an answer without usage costs an unknown amount, never zero', () => {
  const unknown = callRecord(1, { tokens_used: null, cost: { micro_usd: null, source: null } });
  const { all } = sumCalls([summariseCall(unknown, 'f')], 'model', () => 5);
  expect(all).toEqual({
    name: 'all',
    calls: 1,
    input: 0,
    output: 0,
    cached: 0,
    micro_usd: 0,
    unknown: 1,
    at_least: 0,
    repriced: 0,
  });
});

test('five megabytes of lines that went, before one that stayed', () => {
  const lines = Array.from({ length: 200_000 }, (_, index) => `line ${index} of a long answer`);
  const rows = compareTexts(`${lines.join('\n')}\nx\nend 1`, 'a\nx\nend 2');
  expect([rows.length, rows.filter((row) => row.same)]).toEqual([200_002, [{ left: 'x', right: 'x', same: true }]]);
});
