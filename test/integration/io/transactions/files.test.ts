import { spawnSync } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFiles } from '#io/transactions/files.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { verifies } from '../../../e2e/verifies.ts';

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

  test('all or none, also when a rename fails after others have been done', async () => {
    verifies('workers.file-system-writer.all-or-none');
    await writeFile(path.join(root, 'a.ts'), 'old');
    await writeFile(path.join(root, 'run.sh'), 'old', { mode: 0o755 });
    // Linux accepts paths of 4,095 bytes. The name of the temporary file is shorter than this one, so only its rename
    // fails.
    const deep = 'd/'.repeat((3_850 - root.length) / 2);
    const tooLong = `${deep}${'x'.repeat(255)}`;
    const failing = createFiles(root).writeAll([
      { path: 'a.ts', content: 'new' },
      { path: 'new/deep/b.ts', content: 'new' },
      { path: 'run.sh', content: 'new' },
      { path: tooLong, content: 'new' },
    ]);
    await expect(failing).rejects.toThrow('ENAMETOOLONG');
    expect(await readFile(path.join(root, 'a.ts'), 'utf8')).toBe('old');
    expect(await readFile(path.join(root, 'run.sh'), 'utf8')).toBe('old');
    if (process.platform !== 'win32') expect((await stat(path.join(root, 'run.sh'))).mode & 0o777).toBe(0o755);
    expect((await readdir(root)).sort()).toEqual(['a.ts', 'run.sh']);
  });

  test.skipIf(process.platform === 'win32')('a disk that is full leaves no temp file', async () => {
    await mkdir(path.join(root, 'there'));
    const module = new URL('../../../../src/io/transactions/files.ts', import.meta.url).href;
    const source = `
      import { createFiles } from ${JSON.stringify(module)};
      const files = [{ path: 'there/a.ts', content: 'x' }, { path: 'there/b.ts', content: 'x'.repeat(1_000_000) }];
      await createFiles(${JSON.stringify(root)}).writeAll(files).catch(({ code }) => process.stdout.write(code));
    `;
    const limited = 'ulimit -f 100; exec "$0" --input-type=module -e "$1"';
    const { stdout } = spawnSync('sh', ['-c', limited, process.execPath, source], { encoding: 'utf8' });
    expect(stdout).toBe('EFBIG');
    expect(await readdir(root, { recursive: true })).toEqual(['there']);
  });

  test.each([
    ['a folder', ['a.ts', 'src'], 'it is a folder'],
    ['a file in the place of a folder', ['a.ts', 'file/b.ts'], 'a file has the name of its folder'],
    ['a path twice', ['a.ts', './a.ts'], 'it is the same file as "a.ts"'],
    ['paths that differ in case only', ['a.ts', 'A.ts'], 'it is the same file as "a.ts"'],
    [
      'a file below another one',
      ['new', 'new/a.ts'],
      '"new" in the same list is a file, but would have to be its folder',
    ],
  ])('%s is refused before anything is written', async (_what, paths, why) => {
    await mkdir(path.join(root, 'src'));
    await writeFile(path.join(root, 'file'), '');
    const writing = createFiles(root).writeAll(paths.map((one) => ({ path: one, content: 'new' })));
    await expect(writing).rejects.toMatchObject({ code: 'unsafe_path', data: { why } });
    expect((await readdir(root, { recursive: true })).sort()).toEqual(['file', 'src']);
  });

  test.skipIf(process.platform === 'win32')('are located and written where their links lead', async () => {
    await mkdir(path.join(root, 'real'));
    await symlink('real', path.join(root, 'link'));
    await writeFile(path.join(root, 'real/a.ts'), 'old');
    await symlink('real/a.ts', path.join(root, 'a.ts'));
    const files = createFiles(root);
    expect([await files.locate('./link/new/b.ts'), await files.locate('a.ts')]).toEqual(['real/new/b.ts', 'real/a.ts']);
    expect(await refusal(files.locate('../x'))).toBe('unsafe_path');
    await files.writeAll([{ path: 'a.ts', content: 'new' }]);
    expect(await readFile(path.join(root, 'real/a.ts'), 'utf8')).toBe('new');
    expect(await readlink(path.join(root, 'a.ts'))).toBe('real/a.ts');
    expect(
      await refusal(
        files.writeAll([
          { path: 'a.ts', content: '1' },
          { path: 'link/a.ts', content: '2' },
        ]),
      ),
    ).toBe('unsafe_path');
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
