import { describe, expect, test } from 'vitest';
import type { CallSummary } from '#protocol/call-record.ts';
import { type KnownCall, readQuery, searchCalls } from '../../../src/extension/calls/search-calls.ts';

const NOW = new Date(2026, 10, 25, 12).getTime();
const HOUR = 3_600_000;

const summary = (given: Partial<CallSummary>): CallSummary => ({
  call: 'c1',
  file: 'c1.json',
  started_at: NOW - HOUR,
  origin: null,
  run: 'r1',
  session: 's1',
  block: 'Build__Write',
  provider: 'anthropic',
  model: 'opus',
  key: 'first',
  outcome: 'ok',
  attempts: 1,
  input: 900,
  output: 100,
  cached: null,
  micro_usd: 20_000,
  ms: 3_000,
  ...given,
});

const CALLS: readonly KnownCall[] = [
  { call: summary({}), worker: 'Worker:Coder', session: 'Sign in' },
  {
    call: summary({
      call: 'c2',
      run: 'r2',
      session: 's2',
      block: 'Review__Read',
      provider: 'openai',
      model: 'llama3:8b',
      key: 'second',
      outcome: 'rate_limited',
      micro_usd: null,
      input: null,
      output: null,
      ms: 500,
      started_at: NOW - 30 * HOUR,
    }),
    worker: 'Worker:Reviewer',
    session: 'Sign out',
  },
  {
    call: summary({
      call: 'c3',
      run: null,
      session: null,
      block: null,
      micro_usd: 1_000,
      input: 10,
      output: 5,
      origin: 'c1',
      started_at: NOW - 60_000,
    }),
    worker: null,
    session: null,
  },
];

const found = (text: string, withTexts: ReadonlySet<string> | null = null): string =>
  searchCalls(CALLS, readQuery(text), NOW, withTexts)
    .map(({ call }) => call.call)
    .join(' ');

describe('search of logged calls', () => {
  test.each([
    ['', 'c1 c2 c3'],
    ['opus', 'c1 c3'],
    ['OPUS write', 'c1'],
    ['"Sign in"', 'c1'],
    ['session:"sign o"', 'c2'],
    ['session:s1', 'c1'],
    ['run:r2', 'c2'],
    ['block:write', 'c1'],
    ['block:', 'c1 c2'],
    ['worker:reviewer', 'c2'],
    ['model:opus', 'c1 c3'],
    ['Model:opus', 'c1 c3'],
    ['llama3:8b', 'c2'],
    ['provider:openai', 'c2'],
    ['key:second', 'c2'],
    ['outcome:rate', 'c2'],
    ['call:c1', 'c1 c3'],
    ['cost>0.01', 'c1'],
    ['cost<0.01', 'c3'],
    ['cost:0.001', 'c3'],
    ['cost>', ''],
    ['cost>much', ''],
    ['tokens>100', 'c1'],
    ['seconds<1', 'c2'],
    ['time:2h', 'c1 c3'],
    ['time:5m', 'c3'],
    ['time:2d', 'c1 c2 c3'],
    ['time<2h', 'c2'],
    ['time>2h', 'c1 c3'],
    ['time:2026-11-24', 'c2'],
    ['time>2026-11-25', 'c1 c3'],
    ['time:never', ''],
    ['model:opus cost>0.01 block:write', 'c1'],
    ['model:opus outcome:rate', ''],
    ['toString:1', ''],
    ['nothing', ''],
  ])('%s → %s', (text, expected) => {
    expect(found(text)).toBe(expected);
  });

  test('a text is what the host found, and other conditions hold too', () => {
    expect(readQuery('text:"not found" text:x model:opus').texts).toEqual(['not found', 'x']);
    expect(found('text:x', null)).toBe('');
    expect(found('text:x', new Set(['c1', 'c2']))).toBe('c1 c2');
    expect(found('text:x model:opus', new Set(['c1', 'c2']))).toBe('c1');
  });

  test('a text that is not written yet asks for nothing', () => {
    expect(readQuery('text:')).toEqual({ terms: [], words: [], texts: [] });
  });
});
