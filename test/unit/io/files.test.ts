import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFiles } from '#io/files.ts';
import { checkRelativePath } from '#io/safe-path.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { verifies } from '../../e2e/verifies.ts';

let root = '';
let outside = '';
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-files-')));
  outside = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-outside-')));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
  await rm(outside, { recursive: true, force: true });
});

const refusal = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'allowed',
    (thrown: unknown) => (RoboSmithError.is(thrown) ? thrown.code : thrown),
  );

test.each([
  '',
  '.',
  '..',
  '../x',
  'a/../../x',
  '/etc/passwd',
  '\\x',
  'a\\b',
  'C:/x',
  'a:b',
  'x\0y',
  'a\nb',
  'con',
  'NUL.txt',
  'a/aux',
  'com1',
  'dir./x',
  'x ',
  '//host/share',
  '\\\\?\\C:\\x',
])('the path %j is refused', (input) => {
  verifies('workers.safe-path.traversal');
  expect(() => checkRelativePath(input)).toThrow(RoboSmithError);
});

test('ordinary paths are taken apart', () => {
  expect(checkRelativePath('./src//a b/ü.ts')).toEqual(['src', 'a b', 'ü.ts']);
});

describe('files below a root', () => {
  test('are written together, folders and all, and keep their mode', async () => {
    await writeFile(path.join(root, 'run.sh'), 'old');
    await chmod(path.join(root, 'run.sh'), 0o755);
    await createFiles(root).writeAll([
      { path: 'run.sh', content: 'new' },
      { path: 'deep/er/x.ts', content: 'x' },
    ]);
    expect(await readFile(path.join(root, 'run.sh'), 'utf8')).toBe('new');
    expect(await readFile(path.join(root, 'deep/er/x.ts'), 'utf8')).toBe('x');
    if (process.platform !== 'win32') expect((await stat(path.join(root, 'run.sh'))).mode & 0o777).toBe(0o755);
    expect((await readdir(root)).sort()).toEqual(['deep', 'run.sh']);
  });

  test('all or none: one that is refused or can not be written leaves the others as they were', async () => {
    await writeFile(path.join(root, 'a.ts'), 'old');
    await writeFile(path.join(root, 'file'), '');
    const files = createFiles(root);
    expect(
      await refusal(
        files.writeAll([
          { path: 'a.ts', content: 'new' },
          { path: '../b.ts', content: 'x' },
        ]),
      ),
    ).toBe('unsafe_path');
    await expect(
      files.writeAll([
        { path: 'a.ts', content: 'new' },
        { path: 'file/b.ts', content: 'x' },
      ]),
    ).rejects.toThrow();
    expect(await readFile(path.join(root, 'a.ts'), 'utf8')).toBe('old');
    expect((await readdir(root)).sort()).toEqual(['a.ts', 'file']);
  });

  test.skipIf(process.platform === 'win32')('never leave it through a link, dangling ones included', async () => {
    verifies('workers.safe-path.links');
    await symlink(outside, path.join(root, 'link'));
    await symlink(path.join(outside, 'none'), path.join(root, 'dangling'));
    const files = createFiles(root);
    for (const target of ['link/x.ts', 'dangling', 'dangling/x.ts'])
      expect([target, await refusal(files.writeAll([{ path: target, content: 'x' }]))]).toEqual([
        target,
        'unsafe_path',
      ]);
    await writeFile(path.join(outside, 'secret'), 's');
    expect(await refusal(files.read('link/secret'))).toBe('unsafe_path');
    expect(await readdir(outside)).toEqual(['secret']);
  });

  test('a file that is not there reads as null, and globs find what is', async () => {
    await mkdir(path.join(root, 'src'));
    for (const name of ['src/b.ts', 'src/a.ts', 'src/c.md']) await writeFile(path.join(root, name), name);
    const files = createFiles(root);
    expect(await files.read('src/none.ts')).toBeNull();
    expect(await files.read('src/a.ts')).toBe('src/a.ts');
    expect(await files.glob(['src/*.ts', '**/*.md'])).toEqual(['src/a.ts', 'src/b.ts', 'src/c.md']);
    expect(await refusal(files.glob(['../*']))).toBe('unsafe_path');
  });
});
