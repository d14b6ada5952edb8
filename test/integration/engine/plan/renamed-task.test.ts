import { afterEach, expect, test } from 'vitest';
import { RUN, type TaskFolder, taskFolder } from './task-folder.ts';

let at: TaskFolder;
afterEach(() => at.remove());

const NODE = '<!-- type: flow, node: A -->';

/** Begins the first task of a plan in the run `RUN`. Then a person saves another plan, which is accepted. */
async function renamed(before: string, after: string) {
  at = taskFolder({ 'status.md': before });
  const keeper = at.keeper();
  const picked = await keeper.pick();
  if (picked.kind !== 'task') throw new Error(picked.kind);
  expect((await keeper.begin(picked.task, RUN)).kind).toBe('begun');
  at.write('status.md', after);
  expect((await keeper.accept()).ok).toBe(true);
  const next = await keeper.pick();
  if (next.kind !== 'task') throw new Error(next.kind);
  return [next.task.name, next.task.record.run];
}

test('an active task that a person renames keeps its run', async () => {
  expect(await renamed(`- [ ] a ${NODE}\n- [ ] b ${NODE}\n`, `- [/] Alpha ${NODE}\n- [ ] b ${NODE}\n`)).toEqual([
    'Alpha',
    RUN,
  ]);
});

test('an active task keeps its run when its parent is renamed', async () => {
  expect(await renamed(`- [ ] P\n    - [ ] a ${NODE}\n`, `- [/] Q\n    - [/] a ${NODE}\n`)).toEqual(['a', RUN]);
});

test.each([
  ['was in the plan before', `- [/] b ${NODE}\n`, 'b'],
  ['runs another node', '- [/] Alpha <!-- type: flow, node: B -->\n', 'Alpha'],
  ['is on another level', `- [/] P\n    - [/] x ${NODE}\n`, 'x'],
])('a task that %s does not take the run of a task that is gone', async (_why, after, name) => {
  expect(await renamed(`- [ ] a ${NODE}\n- [ ] b ${NODE}\n`, after)).toEqual([name, null]);
});
