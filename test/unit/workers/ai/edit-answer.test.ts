import { expect, test } from 'vitest';
import type { GraphBlock } from '#protocol/graph.ts';
import { editAnswer } from '#workers/ai/edit-answer.ts';
import { readAnswer } from '#workers/ai/read-answer.ts';
import { verifies } from '../../../e2e/verifies.ts';

const RULES = { outputType: 'EDIT_OPERATIONS', validation: null, validate: null, edits: 'check' } as const;
const REACH = { files: null, block: { id: 'Main__Edit' } as GraphBlock };

const EDIT = '[{"op":"append","path":"a.md","content":"x"}]';
const BAD = '[{"op":"append","path":"a.md"}]';

async function outcome(text: string, cutOff: string | null = null, keyword: string | null = null) {
  const validation = keyword === null ? null : { keyword, schema: null };
  const said = readAnswer(text, { ...RULES, validation });
  const { signal, append = [], answerProblem } = await editAnswer({ text, said, cutOff }, 'check', REACH);
  expect(append[0]).toMatchObject({ type: 'EDIT_OPERATIONS', content: text });
  expect(answerProblem).toBe(undefined);
  return [signal.slice(7), ...append.slice(1).map(({ type }) => type)];
}

test.each([
  ['bare JSON is a success by itself', EDIT, ['SUCCESS']],
  ['so it is with talk and a signal', `Done:\n${EDIT}\nSIGNAL:SUCCESS`, ['SUCCESS']],
  ['another signal stays, behind edits that are made', `${EDIT}\nSIGNAL:REVIEW`, ['REVIEW']],
  ['and not behind such as are not', `${BAD}\nSIGNAL:REVIEW`, ['FAILURE', 'LOOM_ERROR']],
  ['without edits it says why there are none', 'I need the file b.ts.\nSIGNAL:STUCK', ['STUCK']],
  ['a model that gives up makes no edits', `${EDIT}\nSIGNAL:FAILURE`, ['FAILURE']],
  ['words alone are no success', 'I have done it.\nSIGNAL:SUCCESS', ['FAILURE', 'LOOM_ERROR']],
  ['nor without a signal', 'I have done it.', ['FAILURE', 'LOOM_ERROR']],
  ['nothing to change is one', '[]', ['SUCCESS', 'FILES_EDITED']],
  [
    'also in a fence, with a signal',
    'All is well:\n```json\n{"operations": []}\n```\nSIGNAL:SUCCESS',
    ['SUCCESS', 'FILES_EDITED'],
  ],
  ['two lists are none', `${EDIT}\nor\n${EDIT.replace('x', 'y')}\nSIGNAL:DONE`, ['FAILURE', 'LOOM_ERROR']],
])('%s', async (_, text, expected) => {
  verifies('workers.loom.answers');
  expect(await outcome(text)).toEqual(expected);
});

test('nothing of an answer is done that broke off: what is missing may be the half of it', async () => {
  expect(await outcome(`${EDIT}\nand then`, 'the answer ended early')).toEqual(['FAILURE', 'LOOM_ERROR']);
});

test('a keyword decides before any edit', async () => {
  expect(await outcome(EDIT, null, 'DONE')).toEqual(['FAILURE']);
  expect(await outcome(`${EDIT} DONE`, null, 'DONE')).toEqual(['SUCCESS']);
});

test('an answer that is not of the form that was asked for makes no edits, whatever it holds', async () => {
  const validation = { keyword: null, schema: { type: 'object' } };
  const said = readAnswer(EDIT, { ...RULES, validation, validate: () => ['it is no object'] });
  expect(said.signal).toBe('SIGNAL:VALIDATION_FAIL');
  expect(await editAnswer({ text: EDIT, said, cutOff: null }, 'apply', REACH)).toBe(said);
});
