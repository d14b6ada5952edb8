import { afterEach, expect, test } from 'vitest';
import type { TaskEdit } from '#protocol/task-work.ts';
import { type TaskFolder, taskFolder } from './task-folder.ts';

let at: TaskFolder;
afterEach(() => at.remove());

const nested = (levels: number, last = ''): string =>
  `${Array.from({ length: levels }, (_, level) => `${'    '.repeat(level)}- [ ] A`).join('\n')}${last}\n`;

const below = (parts: number): string => Array.from({ length: parts }, () => '1').join('.');

const chain = (files: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from({ length: files }, (_, index) => [
      index === 0 ? 'status.md' : `f${index}.md`,
      index === files - 1 ? '- [ ] A\n' : `- [ ] A @ f${index + 1}.md\n`,
    ]),
  );

test.each<[string, Readonly<Record<string, string>>, TaskEdit, string]>([
  [
    'a level too deep',
    { 'status.md': nested(64) },
    { kind: 'add', name: 'B', under: { id: below(64) } },
    'tasks_too_deep',
  ],
  ['a file too deep', chain(16), { kind: 'zoom_in', task: { id: below(16) } }, 'tasks_too_deep'],
  [
    'a file whose name is too long',
    { 'status.md': nested(64, ' @ a.md'), 'a.md': nested(46) },
    { kind: 'zoom_in', task: { id: below(110) } },
    'tasks_bad_reference',
  ],
])('an edit that makes %s is refused: the plan could not be read again', async (_what, files, edit, code) => {
  at = taskFolder(files);
  const keeper = at.keeper();
  const edited = await keeper.edit(edit);
  expect(edited).toMatchObject({ ok: false, problems: [{ code }] });
  for (const [file, text] of Object.entries(files)) expect(at.read(file)).toBe(text);
  expect(await keeper.list()).toMatchObject({ ok: true });
});
