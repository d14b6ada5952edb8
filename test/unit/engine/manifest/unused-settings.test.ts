import { expect, test } from 'vitest';
import { NOT_IN_FORCE } from '#engine/manifest/unused-settings.ts';
import { BUILT_IN_WORKERS } from '#workers/index.ts';
import { BUILT_IN_WORKERS as NAMES } from '../../../../src/compiler/3-check/built-in-workers.ts';

test('a built-in worker that a manifest may name exists, or is said not to be in force', () => {
  const missing = NAMES.filter((name) => !BUILT_IN_WORKERS.has(name));
  expect([...NOT_IN_FORCE].filter((name) => name.startsWith('Internal:')).sort()).toEqual(
    [...missing].sort(),
  );
});
