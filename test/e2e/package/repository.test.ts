import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { verifies } from '../verifies.ts';

test('the repository is that of the extension, and is not published by accident', () => {
  verifies('overview.names.repository');
  expect(manifest).toMatchObject({ name: 'robo-smith-extension', private: true });
});

test('its licence is MIT, in words and in the manifest', () => {
  verifies('overview.licence');
  expect(manifest.license).toBe('MIT');
  expect(readFileSync(join(import.meta.dirname, '../../../LICENSE'), 'utf8')).toMatch(/^MIT License\n/);
});
