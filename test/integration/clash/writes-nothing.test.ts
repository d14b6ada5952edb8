import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { clashReport } from '../../support/clash-report.ts';
import { newRepository } from '../../support/git-repository.ts';

/** Returns content, kind and time of change of everything below a folder, git folders included. */
function picture(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .sort()
    .map((name) => {
      const file = path.join(folder, name);
      const found = lstatSync(file, { bigint: true });
      const content = found.isFile() ? createHash('sha256').update(readFileSync(file)).digest('hex') : '';
      const target = found.isSymbolicLink() ? readlinkSync(file) : '';
      return [name, found.mode, found.mtimeNs, found.ctimeNs, found.ino, content, target].join(' ');
    });
}

test('nothing in the repository and its worktrees is written, byte for byte and with all times', async () => {
  const repository = await newRepository();
  const [a, b] = [repository.linkedWorktree('a', 'a'), repository.linkedWorktree('b', 'b')];
  repository.put('a.txt', 'from a\n', a);
  repository.commit('Work', a);
  repository.put('a.txt', 'staged\n', b);
  repository.git(['add', '.'], b);
  repository.put('src/b.txt', 'not staged\n', b);
  repository.put('src/touched.txt', 'new\n', b);
  // The times of the index no longer fit, so that any refresh would write it.
  repository.put('a.txt', readFileSync(path.join(a, 'a.txt')), a);
  repository.git(['gc', '--quiet']);
  const before = picture(repository.base);
  const temporary = await mkdtemp(path.join(tmpdir(), 'robosmith-test-'));
  process.env['TMPDIR'] = temporary;

  const report = await clashReport(repository.root, { branches: ['*'] });

  expect(report.counts.conflict).toBe(1);
  expect(picture(repository.base)).toEqual(before);
  expect(readdirSync(temporary)).toEqual([]);
  Reflect.deleteProperty(process.env, 'TMPDIR');
  await rm(temporary, { recursive: true });
  await repository.end();
});
