import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkCommands } from '#cli/doctor/check-programs.ts';
import { checkManifest } from '#cli/doctor/check-manifest.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { fakeIo } from '../../../support/fake-io.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'robosmith-doctor-'));
  await writeFile(path.join(folder, 'package.json'), '{"scripts": {"test": "x", "lint": "y"}}');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function shown(): Promise<readonly string[]> {
  const io = fakeIo({ cwd: folder });
  const manifest = await checkManifest(undefined, folder, io);
  return (await checkCommands(manifest, folder, io)).map(({ message }) => message);
}

const FROM_FILES = ["test: npm test (from the project's files)", "lint: npm run lint (from the project's files)"];

test("commands come from the manifest, else from the project's files", async () => {
  verifies('manifest.commands.doctor');
  await mkdir(path.join(folder, '.vision'));
  const nodes = { Main: { entry_block: 'A', blocks: { A: { worker: 'Internal:TestRunner' } } } };
  const text = JSON.stringify({ version: 1, commands: { test: ['make', 'check'] }, nodes });
  await writeFile(path.join(folder, '.vision/workflows.json'), text);
  expect(await shown()).toEqual(['test: make check (from the manifest)', FROM_FILES[1]]);
});

test('without a manifest, or with a broken one, the files are asked', async () => {
  expect(await shown()).toEqual(FROM_FILES);
  await mkdir(path.join(folder, '.vision'));
  await writeFile(path.join(folder, '.vision/workflows.json'), '{');
  expect(await shown()).toEqual(FROM_FILES);
});
