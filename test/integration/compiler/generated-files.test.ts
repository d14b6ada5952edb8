import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../../e2e/verifies.ts';

const ROOT = join(import.meta.dirname, '../../..');

test('generated files are those that the schemas make', () => {
  verifies('manifest.shape.schema-single-source');
  expect(execFileSync(process.execPath, ['scripts/generate.ts', '--check'], { cwd: ROOT, encoding: 'utf8' })).toBe('');
});
