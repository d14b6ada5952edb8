import { expect, test } from 'vitest';
import { compareLogged, verdictOf } from '#engine/authoring.ts';
import { callRecord } from '../../../support/call-record.ts';

const SCHEMA = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } };

const record = (number: number, text: string | null, rules: object | null) => {
  const made = callRecord(number, { answer: text === null ? null : { text, finish: 'stop' } });
  return rules === null
    ? made
    : { ...made, request: { ...made.request, rules: { keyword: null, schema: null, ...rules } } };
};

test('an answer is judged as its block would judge it', async () => {
  const judged = async (text: string | null, rules: object | null): Promise<unknown> => {
    const { signal, valid } = await verdictOf(record(1, text, rules));
    return [signal, valid];
  };
  expect(await judged('SIGNAL:SUCCESS', null)).toEqual(['SIGNAL:SUCCESS', null]);
  expect(await judged('{"n": 1}', { schema: SCHEMA })).toEqual(['SIGNAL:SUCCESS', true]);
  expect(await judged('{"n": "1"}', { schema: SCHEMA })).toEqual(['SIGNAL:VALIDATION_FAIL', false]);
  expect(await judged('all done', { keyword: 'all done' })).toEqual(['SIGNAL:SUCCESS', null]);
  expect(await judged(null, { schema: SCHEMA })).toEqual([null, null]);
});

test('of two calls it is told where their answers differ in that', async () => {
  const { facts, words } = await compareLogged(
    record(1, '{"n": 1}', { schema: SCHEMA }),
    record(2, '{"n": "1"}', { schema: SCHEMA }),
  );
  expect(facts).toEqual([
    { name: 'signal', left: 'SIGNAL:SUCCESS', right: 'SIGNAL:VALIDATION_FAIL' },
    { name: 'valid', left: 'true', right: 'false' },
    { name: 'problem', left: null, right: '/n must be number' },
  ]);
  expect(words).toEqual({ same: 1, left_only: 1, right_only: 1 });
});
