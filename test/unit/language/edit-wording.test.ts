import { expect, test } from 'vitest';
import { editWording } from '#language/index.ts';
import { MAIN, open, SHARED } from './fixture.ts';

const { project } = open({ before: '"extend"', after: '"extend"' });

test('a contract goes into its block, a persona into the worker', () => {
  const edits = editWording(project, 'Build__Write', new Map([['contract', 'Do "it".']]));
  expect(edits?.map(({ file, newText }) => ({ file, newText }))).toEqual([{ file: MAIN, newText: '"Do \\"it\\"."' }]);
  const persona = editWording(project, 'Build__Write', new Map([['persona', 'Bold']]));
  expect(persona?.map(({ newText }) => newText)).toEqual(['"Bold"']);
});

test('an inherited block is edited where it is declared', () => {
  const edits = editWording(project, 'Fix__Finish', new Map([['contract', 'End.']]));
  expect(edits?.map(({ file }) => file)).toEqual([SHARED]);
  expect(edits?.[0]?.newText).toContain('"contract": "End."');
});

test.each(['Build__Gone', 'Gone__Write', 'Write', ''])('%j is no block', (block) => {
  expect(editWording(project, block, new Map([['contract', 'x']]))).toBe(null);
});
