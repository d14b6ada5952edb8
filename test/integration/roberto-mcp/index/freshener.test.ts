import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFileSet } from '../../../../src/roberto-mcp/index/file-set.ts';
import { createFreshener } from '../../../../src/roberto-mcp/index/freshener.ts';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-freshener-')));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A git whose first listing lacks the files that `listings[0]` lacks, as if they had been created a moment later. */
function putGit(listings: readonly (readonly string[])[]): void {
  const bin = path.join(folder, 'bin');
  const calls = path.join(folder, 'calls');
  mkdirSync(bin);
  writeFileSync(calls, '');
  const answers = listings.map((files, index) => `${index}) printf '${files.join('\\0')}\\0' ;;`);
  const script = ['#!/bin/sh', `n=$(wc -l < '${calls}')`, `echo >> '${calls}'`, 'case $((n)) in', ...answers, 'esac'];
  writeFileSync(path.join(bin, 'git'), script.join('\n'));
  chmodSync(path.join(bin, 'git'), 0o755);
  vi.stubEnv('PATH', `${bin}${path.delimiter}${process.env['PATH'] ?? ''}`);
}

test.skipIf(process.platform !== 'linux')(
  'a file that was created between the listing and the watch of its folder is found',
  async () => {
    putGit([['lib/a.ts'], ['lib/a.ts', 'lib/late.ts']]);
    const root = path.join(folder, 'tree');
    mkdirSync(path.join(root, 'lib'), { recursive: true });
    for (const name of ['lib/a.ts', 'lib/late.ts', 'lib/ignored.ts']) writeFileSync(path.join(root, name), 'a();\n');
    writeFileSync(path.join(root, '.gitignore'), 'ignored.ts\n.gitignore\n');
    const changed: string[] = [];
    const freshener = createFreshener(root, createFileSet(), true, (changes) => {
      changed.push(...changes.changed);
      return Promise.resolve();
    });
    await freshener.freshen();
    freshener.watcher.close();
    expect(changed).toEqual(['lib/a.ts', 'lib/late.ts']);
  },
);
