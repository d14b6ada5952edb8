import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REGISTRY_CODES } from '#protocol/registry.ts';

const text = (name: string): string => readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8');

test('every code of the registry is explained, with what to do', () => {
  const section = text('errors.md').split('# Registry codes\n')[1] ?? '';
  const rows = [...section.matchAll(/^\| `(registry_\w+)` \| \S.+ \| \S.+ \|$/gm)].map(([, code]) => code);
  expect(rows).toEqual([...REGISTRY_CODES]);
});
