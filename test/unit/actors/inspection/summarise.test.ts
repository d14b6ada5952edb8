import { describe, expect, test } from 'vitest';
import { summarise, SUMMARY_LIMITS, type SummaryParts } from '../../../../src/actors/inspection/summarise.ts';

const PARTS: SummaryParts = {
  limits: SUMMARY_LIMITS,
  redact: (text) => text.replaceAll('hunter2hunter2', '[key]'),
  describe: () => undefined,
};

const short = (value: unknown): unknown => summarise(value, PARTS);

describe('a summary', () => {
  test('keeps small plain data as it is', () => {
    const value = { a: 1, b: [true, null, 'text'], c: { d: 'e' } };
    expect(short(value)).toEqual(value);
  });

  test('names what is no JSON', () => {
    expect(
      short([undefined, 1n, Symbol('s'), () => 1, NaN, new Date(0), new Map([[1, 2]]), new Uint8Array(3)]),
    ).toEqual([...['[undefined]', '[bigint]', '[symbol]', '[function]', 'NaN'], {}, ...['[1 entries]', '[3 bytes]']]);
  });

  test('runs no accessor and survives a value that throws when it is looked at', () => {
    let reads = 0;
    const evil = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        reads += 1;
        throw new Error('read');
      },
    });
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('listed');
        },
      },
    );
    expect(short({ evil, proxy })).toEqual({ evil: { a: '[accessor]' }, proxy: '[unreadable]' });
    expect(reads).toBe(0);
  });

  test('cuts cycles, but shows one object twice where it stands twice', () => {
    const one = { x: 1 };
    const cycle: Record<string, unknown> = { first: one, second: one };
    cycle['self'] = cycle;
    expect(short(cycle)).toEqual({ first: { x: 1 }, second: { x: 1 }, self: '[circular]' });
  });

  test('is bounded for 100 MB of context', () => {
    const big = {
      list: Array.from({ length: 1_000_000 }, (_, at) => ({ at })),
      long: 'x'.repeat(100_000_000),
      deep: Array.from({ length: 50 }).reduce((inner: unknown) => ({ inner }), 1),
    };
    const text = JSON.stringify(short(big));
    expect(text.length).toBeLessThan(10_000);
    expect(text).toContain('999960 more');
    expect(text).toContain('(100000000 characters)');
  });

  test('counts payloads instead of showing them', () => {
    expect(short({ payload: ['secret plan'], content: 'secret plan', prompt: 'secret plan', done: true })).toEqual({
      payload: '[1 entries]',
      content: '[11 characters]',
      prompt: '[11 characters]',
      done: true,
    });
  });

  test('takes secrets out of values, keys and errors', () => {
    const text = JSON.stringify(short({ hunter2hunter2: 1, b: 'a hunter2hunter2 b', c: new Error('hunter2hunter2') }));
    expect(text).toBe('{"[key]":1,"b":"a [key] b","c":"Error: [key]"}');
  });
});
