import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkResult } from '#machines/run/check-result.ts';
import { verifies } from '../../../e2e/verifies.ts';

const cyclic = (): object => {
  const value: Record<string, unknown> = { a: 1 };
  value['self'] = value;
  return value;
};

/** Returns an object with shared parts, which would have 2^60 values if it were written as JSON. */
const shared = (): object => {
  let value: object = { a: 1 };
  for (let level = 0; level < 60; level += 1) value = { left: value, right: value };
  return value;
};

describe('a result that breaks the contract', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'the result is not an object'],
    ['a list', [], 'the result is not an object'],
    ['no signal', {}, 'not of the form SIGNAL:NAME'],
    ['a signal in lower case', { signal: 'SIGNAL:ok' }, 'not of the form SIGNAL:NAME'],
    ['the fallback', { signal: 'SIGNAL:FAIL_DEFAULT' }, 'for transitions only'],
    [
      'both ways to change the payload',
      { signal: 'SIGNAL:SUCCESS', append: [], payload: [] },
      'both "append" and "payload"',
    ],
    ['a payload that is no list', { signal: 'SIGNAL:SUCCESS', payload: {} }, '"payload" is not a list'],
    ['a segment without type', { signal: 'SIGNAL:SUCCESS', append: [{ content: 'x' }] }, 'append[0] has no "type"'],
    [
      'a segment without content',
      { signal: 'SIGNAL:SUCCESS', append: [{ type: 'T', content: 5 }] },
      'the "content" of append[0] is not a string',
    ],
    ['a cycle', { signal: 'SIGNAL:SUCCESS', exports: cyclic() }, 'nested too deeply, or has a cycle'],
    ['what grows when it is copied', { signal: 'SIGNAL:SUCCESS', exports: shared() }, 'exceeds the limit of'],
    [
      'a text that is too long for an export',
      { signal: 'SIGNAL:SUCCESS', exports: { log: 'x'.repeat(16 * 1024 * 1024) } },
      '"exports/log" exceeds the limit of',
    ],
    ['a function', { signal: 'SIGNAL:SUCCESS', exports: { f: () => 1 } }, '"exports/f" is a function'],
    ['not a number', { signal: 'SIGNAL:SUCCESS', exports: { n: Number.NaN } }, '"exports/n" is not a finite number'],
    ['a class', { signal: 'SIGNAL:SUCCESS', exports: { d: new Date(0) } }, '"exports/d" is not a plain object'],
    [
      'a prototype',
      { signal: 'SIGNAL:SUCCESS', exports: JSON.parse('{"__proto__": {"x": 1}}') as unknown },
      '__proto__',
    ],
    [
      'meta that is no object',
      { signal: 'SIGNAL:SUCCESS', append: [{ type: 'T', content: '', meta: [] }] },
      'is not an object',
    ],
    [
      'too much',
      { signal: 'SIGNAL:SUCCESS', append: [{ type: 'T', content: 'x'.repeat(64 * 1024 * 1024 + 1) }] },
      'more than 67108864',
    ],
  ])('%s', (_name, value, problem) => {
    verifies(
      'workers.contract.result-serialisable',
      'workers.contract.result-signal',
      'workers.contract.result-size',
      'decisions.run-semantics.17',
    );
    const check = checkResult(value);
    expect(check.ok ? '' : check.problem).toContain(problem);
  });
});

test('what is kept is a frozen copy: nothing of the worker can be changed through it, or by it', () => {
  const own = {
    signal: 'SIGNAL:SUCCESS',
    append: [{ type: 'T', content: 'x', meta: { deep: { list: [1] } } }],
    exports: { a: { b: 1 } },
  };
  const check = checkResult(own);
  if (!check.ok) throw new Error(check.problem);
  own.exports.a.b = 2;
  expect(check.result.exports).toEqual({ a: { b: 1 } });
  expect(Object.isFrozen(check.result.exports['a'])).toBe(true);
  expect(Object.isFrozen(check.result.append[0]?.meta?.['deep'])).toBe(true);
});

test('reserved keys of exports are told, and dropped', () => {
  verifies('workers.exports.reserved');
  const check = checkResult({
    signal: 'SIGNAL:SUCCESS',
    exports: { 'system.run': 1, config: 2, 'git.sha': 'a', systematic: 3 },
  });
  if (!check.ok) throw new Error(check.problem);
  expect(check.result.exports).toEqual({ 'git.sha': 'a', systematic: 3 });
  expect(check.result.refusedExports).toEqual(['system.run', 'config']);
});

test('any JSON is taken as it is, and nothing else throws or changes a prototype', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string().filter((key) => !/^(system|config)(\.|$)/.test(key)),
        fc.jsonValue({ maxDepth: 4 }),
      ),
      (exports) => {
        fc.pre(!JSON.stringify(exports).includes('__proto__'));
        const check = checkResult({ signal: 'SIGNAL:SUCCESS', exports });
        expect(check.ok && JSON.stringify(check.result.exports)).toBe(JSON.stringify(exports));
      },
    ),
  );
  const own = Object.getOwnPropertyNames(Object.prototype);
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withObjectString: true }),
      (value) => void checkResult(value),
    ),
  );
  fc.assert(fc.property(fc.anything(), (value) => void checkResult({ signal: 'SIGNAL:SUCCESS', append: value })));
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(own);
});
