import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TASK_CODES } from '#protocol/task-tree.ts';

const text = (name: string): string => readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8');

test('every code of the task tree is explained, with what to do', () => {
  const section = text('errors.md').split('# Task tree codes\n')[1] ?? '';
  const rows = [...section.matchAll(/^\| `(\w+)` \| \S.+ \| \S.+ \|$/gm)].map(([, code]) => code);
  expect(rows).toEqual([...TASK_CODES]);
});
