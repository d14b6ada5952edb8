import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tasksIn } from '#cli/do/read-tasks.ts';

test('the open items of a list at the margin are tasks, with the lines below them', () => {
  const text = `# Tasks for this week

Some words about them.

- [ ] Fix the cents
  when three people pay
- [x] Done already
  with a detail
* plain item
1. first
2) second
   - a detail of it

Words after a list.
    indented words of no item

- [/] begun
- [ ]\tafter a tab
-no item
`;
  expect(tasksIn(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual([
    'Fix the cents\nwhen three people pay',
    'plain item',
    'first',
    'second\n- a detail of it',
    'after a tab',
  ]);
});

test('every open item of a generated list is found, in order', () => {
  const words = fc.stringMatching(/^[a-zA-Z][a-zA-Z .,]{0,30}[a-z]$/);
  const item = fc.record({ words, marker: fc.constantFrom('-', '*', '+', '1.', '23)'), isDone: fc.boolean() });
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const text = items.map(({ words, marker, isDone }) => `${marker} [${isDone ? 'x' : ' '}] ${words}`).join('\n');
      expect(tasksIn(text)).toEqual(items.filter(({ isDone }) => !isDone).map((one) => one.words));
    }),
  );
});
