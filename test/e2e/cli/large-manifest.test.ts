import { writeFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { ANSWERS, manifest, NODE, project, type Project } from './robosmith.ts';

let at: Project;
afterEach(() => at.remove());

const MEGABYTE = 1_048_576;

test.each(['validate', 'graph', 'doctor'])('a manifest of 50 MB is answered in words by %s', async (command) => {
  verifies('manifest.validation.hostile-size');
  const text = JSON.stringify(manifest([NODE, '-e', '0']));
  at = await project({ '.vision/answers.json': ANSWERS });
  await writeFile(at.file('big.json'), text + ' '.repeat(50 * MEGABYTE - text.length));
  const { code, out, err } = await at.robosmith(command, '--manifest', 'big.json');
  expect(code).toBe(command === 'doctor' ? 1 : 2);
  expect(err + out).toContain(command === 'doctor' ? 'big.json: 1 error' : 'RS1002  The file has 52428800 bytes');
  expect(err).not.toMatch(/^\s+at /m);
});
