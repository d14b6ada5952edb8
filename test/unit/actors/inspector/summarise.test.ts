import { describe, expect, test } from 'vitest';
import { summarise, SUMMARY_LIMITS, type SummaryParts } from '../../../../src/actors/inspector/summarise.ts';

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

  test('runs no code of the value: no accessor, no trap of a proxy, no method', () => {
    let ran = 0;
    const run = (): never => {
      ran += 1;
      throw new Error('ran');
    };
    const hostile = (target: object): object =>
      new Proxy(target, Object.fromEntries(Reflect.ownKeys(Reflect).map((trap) => [trap, run])));
    const accessors = (...keys: readonly string[]): PropertyDescriptorMap =>
      Object.fromEntries(keys.map((key) => [key, { enumerable: true, get: run, set: run }]));
    const frame = Object.defineProperties({}, accessors('run', 'path', 'payload', 'visits', 'childFailure', 'toJSON'));
    const error = Object.defineProperties(new Error('e'), accessors('name', 'message', 'stack'));
    const map = Object.defineProperties(new Map([[1, 2]]), accessors('size'));
    const bytes = Object.defineProperties(new Uint8Array(2), accessors('byteLength', 'length'));
    const list = Object.defineProperties([0], accessors('0', 'toJSON'));
    const child = Object.create(hostile({ name: 'up' })) as object;
    const written = Object.defineProperty({}, 'only', { enumerable: true, set: run });
    const proxies = { proxy: hostile({}), many: hostile([]), payload: hostile([]) };
    expect(short({ frame, error, map, bytes, list, child, written, ...proxies })).toEqual({
      frame: Object.fromEntries(Object.keys(frame).map((key) => [key, '[accessor]'])),
      error: 'Error: ',
      map: '[1 entries]',
      bytes: '[2 bytes]',
      list: ['[accessor]'],
      child: {},
      written: { only: '[accessor]' },
      proxy: '[proxy]',
      many: '[proxy]',
      payload: '[object]',
    });
    expect(ran).toBe(0);
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

  test('is bounded for many values and many texts', () => {
    const rows = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => 'y'.repeat(1_000)));
    const wide = Object.fromEntries(rows.map((row, at) => [`${'k'.repeat(1_000)}${at}`, row]));
    expect(JSON.stringify(short(wide)).length).toBeLessThan(2 * SUMMARY_LIMITS.characters);
    const flat = JSON.stringify(short(rows.map(() => rows.map((_, at) => at))));
    expect(flat.match(/\d+/g)?.length).toBeLessThan(SUMMARY_LIMITS.values + 100);
  });

  test('counts payloads instead of showing them', () => {
    expect(short({ payload: ['secret plan'], content: 'secret plan', prompt: 'secret plan', done: true })).toEqual({
      payload: '[1 entries]',
      content: '[11 characters]',
      prompt: '[11 characters]',
      done: true,
    });
  });

  test('shows no part of a secret at the end of a text that is cut', () => {
    const secret = 'hunter2hunter2';
    for (let at = SUMMARY_LIMITS.text - secret.length; at <= SUMMARY_LIMITS.text; at += 1) {
      const shown = short('-'.repeat(at) + secret + '-'.repeat(100)) as string;
      expect(shown).not.toContain('hu');
    }
    // If a text consists of many secrets, the part that is searched ends in the middle of a secret.
    expect(short(secret.repeat(10_000))).not.toContain('hu');
  });

  test('takes secrets out of values, keys and errors', () => {
    const text = JSON.stringify(short({ hunter2hunter2: 1, b: 'a hunter2hunter2 b', c: new Error('hunter2hunter2') }));
    expect(text).toBe('{"[key]":1,"b":"a [key] b","c":"Error: [key]"}');
  });
});
