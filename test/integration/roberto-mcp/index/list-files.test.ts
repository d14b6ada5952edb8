import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listFiles } from '../../../../src/roberto-mcp/index/list-files.ts';
import { newFolder, removeFolder } from '../../../support/in-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => removeFolder(folder));

test.each(['with git', 'without git'])('files that are kept out of prompts are not indexed, %s', async (how) => {
  for (const name of ['a.ts', '.env.ts', 'src/.ENV.local.js', '.aws/a.ts', 'env.ts']) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), 'export const a = 1;');
  }
  if (how === 'with git') execFileSync('git', ['init', '-q'], { cwd: folder });
  expect([...(await listFiles(folder))].sort()).toEqual(['a.ts', 'env.ts']);
});
