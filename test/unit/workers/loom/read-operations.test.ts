import { expect, test } from 'vitest';
import { hasOperations, readOperations } from '#workers/loom/read-operations.ts';
import { verifies } from '../../../e2e/verifies.ts';

const APPEND = { op: 'append', path: 'a.md', content: 'x' };
const json = JSON.stringify([APPEND]);

const read = (text: string): unknown => {
  const parsed = readOperations(text);
  return parsed.ok ? parsed.operations : parsed.problems.map(({ code, message }) => [code, message]);
};

test.each([
  ['bare', json],
  ['in a fence', `Sure, here you are:\n\n\`\`\`json\n${json}\n\`\`\`\nSIGNAL:SUCCESS`],
  ['in a fence without a name', `\`\`\`\n${JSON.stringify(APPEND, null, 2)}\n\`\`\``],
  ['within talk', `See [1] and {this}: ${json} That is all [really].`],
  ['as an object with a list', JSON.stringify({ operations: [APPEND] })],
  ['as an object with edits', `{"edits": ${json}}`],
  ['twice the same', `\`\`\`json\n${json}\n\`\`\`\nas I said:\n\`\`\`json\n${json}\n\`\`\``],
  ['beside other code', `\`\`\`ts\nconst a = [1];\n\`\`\`\n\`\`\`json\n${json}\n\`\`\``],
  ['with Windows line breaks', `Here:\r\n\`\`\`json\r\n${json}\r\n\`\`\`\r\n`],
])('operations are found %s', (_how, text) => {
  verifies('workers.loom.operations');
  expect(read(text)).toEqual([{ ...APPEND, number: 1 }]);
});

test("the seed's names mean the same", () => {
  const list = [
    { operation: 'Insert', path: 'a', anchor_text: 'x', new_content: 'y\r\nz' },
    { op: 'replace_block', path: 'a', start_marker: '<', end_marker: '>', new_content: '' },
    { op: 'ReplaceLine', path: 'a', line_number: 3, content: 'y' },
  ];
  expect(read(JSON.stringify(list))).toEqual([
    { op: 'insert', path: 'a', anchor: 'x', content: 'y\nz', position: 'after', number: 1 },
    { op: 'replaceBlock', path: 'a', start: '<', end: '>', content: '', number: 2 },
    { op: 'replaceLine', path: 'a', line: 3, content: 'y', expected: null, number: 3 },
  ]);
});

test.each([
  ['nothing', '', /^the answer has no JSON with operations/],
  ['talk', 'I could not [do] it {sorry}', /^the answer has no JSON/],
  ['many brackets', '['.repeat(100_000), /^the answer has no JSON/],
  [
    'an unclosed fence',
    `\`\`\`json\n${json.slice(0, -3)}`,
    /is not valid JSON: line 2, column 41: unexpected end of string/,
  ],
  ['two lists', `\`\`\`\n${json}\n\`\`\`\n\`\`\`\n${json.replace('x', 'y')}\n\`\`\``, /has 2 lists of operations/],
  ['an empty list', '[]', /^there is no list of operations$/],
  ['another value', '7', /^there is no list of operations$/],
  ['too many', JSON.stringify(Array(1_001).fill(APPEND)), /^there are 1001 operations/],
])('%s is told', (_what, text, message) => {
  expect(read(text)).toEqual([['no_operations', expect.stringMatching(message) as string]]);
});

const B = { op: 'append', path: 'b.md', content: 'say("hi") [1]' };
const TWO = [APPEND, B].map((one, index) => ({ ...one, number: index + 1 }));
const lines = `[\n  ${JSON.stringify(APPEND)},\n  ${JSON.stringify(B)}\n]`;

test.each([
  ['bare', lines],
  ['behind talk', `In [1] and {this} I do both: ${lines}\nSIGNAL:SUCCESS`],
  ['in a fence', `Here are both edits:\n\`\`\`json\n${lines}\n\`\`\`\nSIGNAL:SUCCESS`],
  ['in an object', JSON.stringify({ operations: [APPEND, B] }, null, 2)],
  ['behind a comment', `[ // both\n${JSON.stringify(APPEND)}, ${JSON.stringify(B)}]`],
  ['in an object of another object', JSON.stringify({ result: { edits: [APPEND, B] } })],
  ['behind thoughts', `<think>Perhaps ${json}, or not.</think>\n${lines}`],
])('two operations %s are read whole or not at all, wherever the answer breaks off', (_how, text) => {
  verifies('workers.loom.operations');
  const read = Array.from(text, (_, at) => readOperations(text.slice(0, at + 1)));
  for (const parsed of read)
    if (parsed.ok) expect(parsed.operations).toEqual(TWO);
    else expect(parsed.problems).toMatchObject([{ code: 'no_operations' }]);
});

test.each([
  ['a sign too many', lines.replace('say(\\"hi', 'say("hi'), 'line 3, column 48: invalid symbol'],
  ['a comma at the end', `I do:\n[${JSON.stringify(APPEND)},]`, 'line 2, column 46: value expected'],
  ['a comma too few', `\`\`\`json\n${lines.replace('},', '}')}\n\`\`\``, 'line 4, column 3: comma expected'],
  [
    'a second fence cut off',
    `\`\`\`\n${json}\n\`\`\`\n\`\`\`\n[{"op": "app`,
    'line 5, column 9: unexpected end of string',
  ],
  ['thoughts above', `<think>\nso\n</think>\n[${JSON.stringify(APPEND)}`, 'line 4, column 45: it ends early'],
  ['no operations in it', '{\n  not json', 'line 2, column 3: invalid symbol'],
])('a list with %s is refused, and where it is broken is told', (_what, text, where) => {
  verifies('workers.loom.operations');
  expect(read(text)).toEqual([['no_operations', `the list of operations is not valid JSON: ${where}`]]);
});

test('thoughts are no operations', () => {
  verifies('workers.loom.operations');
  expect(read(`<think>I could do ${json}, but that breaks b.</think>\nI will not.`)).toMatchObject([
    ['no_operations', expect.stringContaining('has no JSON') as string],
  ]);
  expect(read(`<think>I could do ${json} but`)).toEqual([
    ['no_operations', 'the answer ended while the model was still thinking'],
  ]);
  const b = [{ ...B, number: 1 }];
  expect(read(`<think>${json}</think>\n${JSON.stringify([B])}`)).toEqual(b);
  expect(hasOperations(`<think>${json}</think>\nI need b.md.`)).toBe(false);
  expect(hasOperations(json.slice(0, -1))).toBe(true);
});

test.each<[string, unknown, string]>([
  ['no object', 7, 'an operation must be an object'],
  ['no known name', { op: 'delete', path: 'a' }, '"op" must be one of insert, replaceBlock, append, replaceLine'],
  ['a name of every object', { op: 'constructor' }, '"op" must be one of insert, replaceBlock, append, replaceLine'],
  ['no path', { op: 'append', content: 'x' }, '"path" must be a string'],
  ['no content', { op: 'append', path: 'a' }, '"content" must be a string'],
  ['empty content', { op: 'append', path: 'a', content: '' }, '"content" is empty'],
  ['a blank anchor', { op: 'insert', path: 'a', anchor: ' \n', content: 'x' }, '"anchor" must not be blank'],
  [
    'a wrong place',
    { op: 'insert', path: 'a', anchor: 'x', content: 'x', position: 'in' },
    '"position" must be "before" or "after"',
  ],
  ['a wrong line', { op: 'replaceLine', path: 'a', line: 0, content: 'x' }, '"line" must be a line number, at least 1'],
  [
    'a line as text',
    { op: 'replaceLine', path: 'a', line: '1', content: 'x' },
    '"line" must be a line number, at least 1',
  ],
  ['an unknown field', { ...APPEND, after: 'x' }, 'append has no field "after"; its fields are path, content'],
  ['half of a character', { ...APPEND, content: '\ud800' }, '"content" contains an incomplete Unicode character'],
  ['a NUL', { ...APPEND, content: 'a\0' }, '"content" contains a NUL character'],
])('%s is told with the number of the operation', (_what, operation, message) => {
  const parsed = readOperations(JSON.stringify([APPEND, operation]));
  expect(parsed).toMatchObject({ ok: false, problems: [{ code: 'bad_operation', operation: 2, message }] });
});
