import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

test('generated files are those that the schemas make', () => {
  expect(execFileSync(process.execPath, ['scripts/generate.ts', '--check'], { cwd: ROOT, encoding: 'utf8' })).toBe('');
});
