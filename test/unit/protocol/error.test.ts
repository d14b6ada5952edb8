import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '#protocol/error.ts';

const [, ...sections] = readFileSync(new URL('../../../schemas/errors.md', import.meta.url), 'utf8').split(/^## /m);

test('every error code has its section, which says what it means and what to do', () => {
  expect(sections.map((section) => section.split('\n')[0])).toEqual([...ERROR_CODES]);
  for (const section of sections) expect(section).toMatch(/^\S+\n\n\S.+\n\nWhat to do: \S/);
});
