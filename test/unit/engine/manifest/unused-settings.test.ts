import { expect, test } from 'vitest';
import { NOT_IN_FORCE } from '#engine/manifest/unused-settings.ts';

test('every built-in worker is in force', () => {
  expect([...NOT_IN_FORCE].filter((name) => name.startsWith('Internal:'))).toEqual([]);
});
