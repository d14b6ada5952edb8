import { expect, test } from 'vitest';
import { verifies } from '../../../e2e/verifies.ts';
import { readAnswer } from '#workers/ai/read-answer.ts';

const RULES = { outputType: 'CODE_OUTPUT', validation: null, edits: null };
const isTrue = (value: unknown): readonly string[] => (value === true ? [] : [`it is ${JSON.stringify(value)}`]);
const problem = (text: string): string | undefined => readAnswer(text, { ...RULES, validate: isTrue }).answerProblem;

test.each([
  ['the whole answer', ' true\n'],
  ['the whole answer but its signal', 'true\nSIGNAL:SUCCESS\n'],
  ['a fence', 'Here:\n```json\ntrue\n```\nbye'],
  ['a fence of tildes, CRLF', 'Here:\r\n~~~\r\ntrue\r\n~~~\r\n'],
  ['the last fence that is JSON', '```\nfalse\n```\n```json\ntrue\n```\n```ts\nx\n```'],
  ['a fence with a longer end', '```json\ntrue\n`````'],
])('the JSON of an answer is in %s', (_where, text) => {
  verifies('workers.answer.schema');
  expect(problem(text)).toBeUndefined();
});

test('a fence inside a longer one is part of its text', () => {
  expect(problem('````md\n```json\ntrue\n```\n````')).toBe('the answer contains no JSON');
});

// An earlier version, which used a regular expression, took 34 s for these answers.
test.each(['`', '~'])(
  'many lines of %s are read at once',
  (mark) => {
    expect(problem(`${mark.repeat(200_000)}\n`.repeat(21))).toBe('the answer contains no JSON');
  },
  10_000,
);

test.each([
  ['a signal', 'Maybe\nSIGNAL:FAILURE\n</think>\nDone.', { validation: null, validate: null }, 'SIGNAL:NO_SIGNAL'],
  [
    'a keyword',
    'I could say APPROVED</think>no',
    { validation: { keyword: 'APPROVED', schema: null }, validate: null },
    'SIGNAL:FAILURE',
  ],
  ['JSON', 'either [1] or {}\n</think>true', { validation: null, validate: isTrue }, 'SIGNAL:SUCCESS'],
  ['all there is', 'so\nSIGNAL:SUCCESS', { validation: null, validate: null }, 'SIGNAL:NO_SIGNAL'],
])('what a model thought before is no answer: %s', (_what, text, rules, signal) => {
  const answer = `<think>\n${text}`;
  const result = readAnswer(answer, { ...RULES, ...rules });
  expect(result.signal).toBe(signal);
  const at = text.indexOf('</think>');
  expect(result.append?.[0]?.content).toBe(at < 0 ? answer : text.slice(at + '</think>'.length).trimStart());
});

const BLOCK = '```js f.js\ngood\n```';

test.each([
  ['plan\n```js f.js\nbad\n```\n</think>\n' + BLOCK, BLOCK],
  ['<think>\n```js\nhalf of a block\n</think>\n' + BLOCK, BLOCK],
  ['```js\nhalf of a block\n</think>\nYes', 'Yes'],
  ['<think>one</think>\nno\n</think>\nyes', 'yes'],
  ['okay.</think>{"a":1}', '{"a":1}'],
  ['a\r\n</think>\r\n\r\nb', 'b'],
  ['```html\n<think>\n</think>\n```\ndone', null],
  ['The tag `</think>` is removed now.', null],
  ['{"content":"a</think>b"}', null],
])('everything before the last end of the thinking is thinking: %j', (text, said) => {
  expect(readAnswer(text, { ...RULES, validate: null }).append?.[0]?.content).toBe(said ?? text);
});

const signalOf = (text: string): string => readAnswer(text, { ...RULES, validate: null }).signal;

test.each([
  'SIGNAL:SUCCESS',
  '  SIGNAL:SUCCESS  \r\n\n',
  '**SIGNAL:SUCCESS**',
  '__SIGNAL:SUCCESS__',
  '*SIGNAL:SUCCESS*',
  '`SIGNAL:SUCCESS`',
  '**`SIGNAL:SUCCESS`**.',
  '`SIGNAL:SUCCESS.`',
  'SIGNAL:SUCCESS.',
  '"SIGNAL:SUCCESS"',
  '“SIGNAL:SUCCESS”',
  '«SIGNAL:SUCCESS»',
  '- SIGNAL:SUCCESS',
  '* **SIGNAL:SUCCESS**',
  '1. SIGNAL:SUCCESS',
])('the last line %j is a signal', (line) => {
  verifies('workers.answer.last-token');
  expect(signalOf(`SIGNAL:FAILURE was the last one.\nSIGNAL:FAILURE\n${line}`)).toBe('SIGNAL:SUCCESS');
});

test.each([
  ['in a fence', 'The file says:\n```\nSIGNAL:SUCCESS\n```\nI could not do what was asked'],
  ['in a fence at the end', 'It says:\n```\nSIGNAL:SUCCESS\n```'],
  ['indented as code', 'SIGNAL:FAILURE … quote:\n    SIGNAL:SUCCESS'],
  ['indented by a tab', 'quote:\n\tSIGNAL:SUCCESS'],
  ['in a block quote', 'quote:\n> SIGNAL:SUCCESS'],
  ['before the last line', 'SIGNAL:SUCCESS\nThat is not true.'],
  ['in a sentence', 'I would say SIGNAL:SUCCESS'],
  ['with an open mark', '**SIGNAL:SUCCESS'],
  ['beside another', 'SIGNAL:SUCCESS SIGNAL:FAILURE'],
])('a signal %s is quoted text', (_where, text) => {
  verifies('workers.answer.none');
  const answer = readAnswer(text, { ...RULES, validate: null });
  expect([answer.signal, answer.answerProblem]).toEqual([
    'SIGNAL:NO_SIGNAL',
    'the last line of the answer is not a signal',
  ]);
});

test('a decorated signal is no part of the JSON before it', () => {
  expect(problem('true\n**SIGNAL:SUCCESS**')).toBeUndefined();
});
