import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { renameSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFiles } from '#io/transactions/files.ts';
import { globInside } from '#io/files/glob-inside.ts';
import { checkPlace, openInside } from '#io/files/open-inside.ts';
import { isInside, safePath } from '#io/files/safe-path.ts';
import { RoboSmithError } from '#protocol/error.ts';

const SWAPPED = 'a link replaced a part of its path while it was in use';

let base = '';
let root = '';
let outside = '';
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-links-')));
  root = path.join(base, 'root');
  outside = path.join(base, 'outside');
  await mkdir(root);
  await mkdir(outside);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const whyOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'allowed',
    (thrown: unknown) => (RoboSmithError.is(thrown, 'unsafe_path') ? thrown.data['why'] : thrown),
  );

/** Returns the contents of all files below a folder, by path. */
async function contents(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [path.relative(folder, file), await readFile(file, 'utf8')])),
  ) as Readonly<Record<string, string>>;
}

describe.skipIf(process.platform === 'win32')('links that are put in after the check', () => {
  beforeEach(async () => {
    await mkdir(path.join(root, 'dir'));
    await writeFile(path.join(root, 'dir/a.ts'), 'ours');
    await writeFile(path.join(outside, 'a.ts'), 'secret');
  });

  const swapFolder = (): void => {
    renameSync(path.join(root, 'dir'), path.join(root, 'moved'));
    symlinkSync(outside, path.join(root, 'dir'));
  };

  test('a folder is swapped before a file is opened', async () => {
    const target = await safePath(root, 'dir/a.ts');
    swapFolder();
    expect(await whyOf(openInside('dir/a.ts', target, 'read'))).toBe(SWAPPED);
  });

  test('a folder is swapped for one inside', async () => {
    const target = await safePath(root, 'dir/a.ts');
    await rename(path.join(root, 'dir'), path.join(root, 'moved'));
    await symlink('moved', path.join(root, 'dir'));
    expect(await whyOf(openInside('dir/a.ts', target, 'read'))).toBe(SWAPPED);
  });

  test('the file itself is swapped', async () => {
    const target = await safePath(root, 'dir/a.ts');
    await rm(target);
    await symlink(path.join(outside, 'a.ts'), target);
    expect(await whyOf(openInside('dir/a.ts', target, 'read'))).toBe(SWAPPED);
  });

  test('a folder is swapped and put back: what is open is another file', async () => {
    const target = await safePath(root, 'dir/a.ts');
    const opened = await stat(path.join(outside, 'a.ts'), { bigint: true });
    expect(await checkPlace('dir/a.ts', target, opened)).toBe('another');
    expect(await checkPlace('dir/a.ts', target, await stat(target, { bigint: true }))).toBe('it');
    await rm(target);
    expect(await checkPlace('dir/a.ts', target, opened)).toBe('nothing');
  });

  test.each(['dir/a.ts', 'dir/new.ts', 'dir/new/er/b.ts'])('a folder is swapped before %s is written', async (file) => {
    const wanted = {
      path: file,
      // This getter runs after the writer has checked the path and before it opens any file.
      get content() {
        swapFolder();
        return 'new';
      },
    };
    expect(await whyOf(createFiles(root).writeAll([wanted]))).toBe(SWAPPED);
    expect(await readdir(outside, { recursive: true })).toEqual(['a.ts']);
    expect(await contents(outside)).toEqual({ 'a.ts': 'secret' });
    expect(await contents(path.join(root, 'moved'))).toEqual({ 'a.ts': 'ours' });
  });

  test('a folder is swapped after one file of two has been staged: nothing is written', async () => {
    await writeFile(path.join(root, 'b.ts'), 'old');
    const last = {
      path: 'dir/c.ts',
      get content() {
        swapFolder();
        return 'new';
      },
    };
    const writing = createFiles(root).writeAll([{ path: 'b.ts', content: 'new' }, last]);
    expect(await whyOf(writing)).toBe(SWAPPED);
    expect(await contents(root)).toEqual({ 'b.ts': 'old', 'moved/a.ts': 'ours' });
    expect(await contents(outside)).toEqual({ 'a.ts': 'secret' });
  });
});

describe('a file that others save all the time', () => {
  test('is read whole, as it was before or after', async () => {
    const file = path.join(root, 'a.ts');
    await writeFile(file, 'before');
    const saves = `const fs = require('node:fs'); const [, file] = process.argv;
      for (let n = 0; ; n += 1) {
        fs.writeFileSync(file + '.tmp', n % 2 === 0 ? 'after' : 'before');
        fs.renameSync(file + '.tmp', file);
        if (n === 0) process.send('saved');
      }`;
    const editor = spawn(process.execPath, ['-e', saves, file], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const ended = once(editor, 'exit');
    try {
      await once(editor, 'message');
      const read = createFiles(root);
      const seen = new Set<string | null>();
      for (let n = 0; n < 300 || (seen.size < 2 && n < 30_000); n += 1) seen.add(await read.read('a.ts'));
      expect([...seen].sort()).toEqual(['after', 'before']);
    } finally {
      editor.kill('SIGKILL');
      await ended;
    }
  });
});

describe.skipIf(process.platform === 'win32')('a folder that is moved out with what was staged in it', () => {
  test('is noticed after the rename, and what was there is put back', async () => {
    await mkdir(path.join(root, 'dir'));
    await writeFile(path.join(root, 'dir/a.ts'), 'old');
    const last = {
      path: 'b.ts',
      get content() {
        renameSync(path.join(root, 'dir'), path.join(outside, 'dir'));
        symlinkSync(path.join(outside, 'dir'), path.join(root, 'dir'));
        return 'new';
      },
    };
    const first = [
      { path: 'dir/a.ts', content: 'new' },
      { path: 'dir/c.ts', content: 'new' },
    ];
    expect(await whyOf(createFiles(root).writeAll([...first, last]))).toBe(SWAPPED);
    expect(await contents(outside)).toEqual({ 'dir/a.ts': 'old' });
    expect(await contents(root)).toEqual({});
  });
});

describe.skipIf(process.platform === 'win32')('what is no file', () => {
  test('a pipe is refused without waiting', async () => {
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path.join(root, 'pipe')]);
    const files = createFiles(root);
    expect(await whyOf(files.read('pipe'))).toBe('it is not a regular file');
    expect(await whyOf(files.writeAll([{ path: 'pipe', content: '' }]))).toBe('it is not a regular file');
  });

  test('a folder is refused', async () => {
    await mkdir(path.join(root, 'dir'));
    expect(await whyOf(createFiles(root).read('dir'))).toBe('it is a folder');
  });

  test('a link that leads in a circle is refused', async () => {
    await symlink('b', path.join(root, 'a'));
    await symlink('a', path.join(root, 'b'));
    const files = createFiles(root);
    for (const name of ['a', 'a/x', 'b/x/y'])
      expect([name, await whyOf(files.read(name))]).toEqual([name, 'a link in its path is broken']);
  });
});

// These names refer to existing files on file systems of other platforms.
describe.skipIf(process.platform !== 'linux')('names that another file system takes for one', () => {
  const twin = (there: string, wanted: string) =>
    `"${there}" exists, and differs from "${wanted}" only in case or in Unicode normalization`;

  beforeEach(async () => {
    await mkdir(path.join(root, 'Src'));
    for (const name of ['readme.md', 'caf\u00e9.md', 'stra\u00dfe.md', 'Src/Kelvin.ts'])
      await writeFile(path.join(root, name), 'old');
  });

  test.each([
    ['README.md', twin('readme.md', 'README.md')],
    ['cafe\u0301.md', twin('caf\u00e9.md', 'cafe\u0301.md')],
    ['CAF\u00c9.md', twin('caf\u00e9.md', 'CAF\u00c9.md')],
    ['STRASSE.md', twin('stra\u00dfe.md', 'STRASSE.md')],
    ['src/new.ts', twin('Src', 'src')],
    ['src/deep/er/new.ts', twin('Src', 'src')],
    ['Src/\u212aelvin.ts', twin('Kelvin.ts', '\u212aelvin.ts')],
  ])('%s is not made', async (name, why) => {
    const before = await contents(root);
    expect(await whyOf(createFiles(root).writeAll([{ path: name, content: 'new' }]))).toBe(why);
    expect(await contents(root)).toEqual(before);
  });

  test.each(['SECRE~1.TXT', 'git~2/config', 'Src/LONGN~12.TS', 'Src/PROGRA~1/x.ts'])(
    '%s is not made: on Windows it may be another file',
    async (name) => {
      const part = name.split('/').find((one) => one.includes('~')) ?? '';
      expect(await whyOf(createFiles(root).writeAll([{ path: name, content: 'new' }]))).toBe(
        `"${part}" may be the short name of another file on Windows`,
      );
    },
  );

  test('a file with such a name that is there is written, and so are other names with a tilde', async () => {
    await writeFile(path.join(root, 'OLD~1.TXT'), 'old');
    const files = createFiles(root);
    for (const name of ['OLD~1.TXT', 'notes~', 'a~b.ts', 'long-name~1.txt']) {
      await files.writeAll([{ path: name, content: 'new' }]);
      expect(await files.read(name)).toBe('new');
    }
  });

  test('what is there is written, also beside such a name', async () => {
    await writeFile(path.join(root, 'Readme.md'), 'old');
    const files = createFiles(root);
    await files.writeAll([{ path: 'Readme.md', content: 'new' }]);
    await files.writeAll([{ path: 'Src/new.ts', content: 'new' }]);
    expect([await files.read('Readme.md'), await files.read('Src/new.ts')]).toEqual(['new', 'new']);
  });

  test('two new folders of one name are not made', async () => {
    const writing = createFiles(root).writeAll([
      { path: 'New/a.ts', content: '' },
      { path: 'new/b.ts', content: '' },
    ]);
    expect(await whyOf(writing)).toBe('on other file systems its folder "new" is the same as "New"');
    expect(await readdir(root)).not.toContain('New');
  });
});

describe.skipIf(process.platform === 'win32')('files of git', () => {
  test('are not written through a link either', async () => {
    await mkdir(path.join(root, '.git'));
    await symlink('.git', path.join(root, 'link'));
    const files = createFiles(root);
    expect(await whyOf(files.writeAll([{ path: 'link/config', content: '' }]))).toBe('git manages it');
    expect(await readdir(path.join(root, '.git'))).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('globs', () => {
  beforeEach(async () => {
    await mkdir(path.join(root, 'src'));
    await writeFile(path.join(root, 'src/a.ts'), '');
    await writeFile(path.join(outside, 'secret.ts'), '');
    await symlink(outside, path.join(root, 'link'));
    await symlink(path.join(root, 'src'), path.join(root, 'inner'));
  });

  test.each([
    ['**/*.ts', ['src/a.ts']],
    ['*/*.ts', ['src/a.ts']],
    ['inner/*.ts', ['inner/a.ts']],
    ['{src,link}/*.ts', ['src/a.ts']],
    ['[.][.]/outside/**', []],
    ['{..,src}/**', ['src/a.ts']],
    ['.{.,x}/outside/*', []],
    ['{link,inner}/**', ['inner/a.ts']],
  ])('%s finds what is inside', async (pattern, found) => {
    expect(await createFiles(root).glob([pattern])).toEqual(found);
  });

  test.each([
    ['../**', 'it leads out of its root folder'],
    ['src/../../*', 'it leads out of its root folder'],
    ['/etc/*', 'it is an absolute path'],
    ['link/**', 'a link in its path leads out of the root folder'],
    ['C:/*', 'a colon names a drive or an alternate stream on Windows'],
  ])('%s is refused', async (pattern, why) => {
    expect(await whyOf(createFiles(root).glob([pattern]))).toBe(why);
  });

  test.each(['{link,inner}/**', '**', '[.][.]/outside/**', '.{.,x}/outside/*'])(
    '%s walks nothing outside',
    async (pattern) => {
      const seen: string[] = [];
      const files = globInside(root, pattern, (name) => {
        seen.push(name);
        return false;
      });
      for await (const file of files) expect(file).toMatch(/a\.ts$/);
      expect(seen).not.toContain('secret.ts');
    },
  );

  test('names that SafePath refuses are not found', async () => {
    for (const name of ['a:b.md', 'what?.md', 'x\u202e.md', 'fine.md']) await writeFile(path.join(root, name), '');
    expect(await createFiles(root).glob(['*.md'])).toEqual(['fine.md']);
  });
});

describe.skipIf(process.platform === 'win32')('no input leads outside', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const place = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const pieces = fc.oneof(
    { weight: 6, arbitrary: name },
    fc.constantFrom('..', '.', '', '...', '.. ', '%2e%2e', '~', '..\u200b', 'outside', 'secret.ts', 'a.ts'),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  const input = fc
    .tuple(
      fc.constantFrom('', '', '', '/', './', '\\', 'C:/'),
      fc.array(pieces, { maxLength: 5 }),
      fc.constantFrom('/', '/', '/', '\\'),
    )
    .map(([start, parts, separator]) => start + parts.join(separator));
  const target = fc.oneof(
    place,
    fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('', 'outside', 'outside/secret.ts', 'root/a'))
      .map(([up, then]) => '../'.repeat(up) + then),
    fc.constantFrom('OUTSIDE', 'OUTSIDE/secret.ts', 'ROOT/b', '.'),
  );
  const tree = fc.record({
    folders: fc.array(place, { maxLength: 4 }),
    links: fc.array(fc.tuple(place, target), { maxLength: 5 }),
  });

  async function build({
    folders,
    links,
  }: {
    folders: readonly string[];
    links: readonly (readonly [string, string])[];
  }) {
    await rm(base, { recursive: true, force: true });
    await mkdir(root, { recursive: true });
    await mkdir(outside);
    await writeFile(path.join(outside, 'secret.ts'), 'secret');
    // A folder is not created if its name is already taken.
    for (const folder of folders) await mkdir(path.join(root, folder), { recursive: true }).catch(() => undefined);
    for (const [from, to] of links) {
      const place = path.join(root, from);
      // A link whose path leads through an earlier link would be created outside the root, so it is skipped.
      const folder = await realpath(path.dirname(place)).catch(() => null);
      if (folder === null || !isInside(root, folder)) continue;
      await symlink(to.replace('OUTSIDE', outside).replace('ROOT', root), place).catch(() => undefined);
    }
  }

  /** Returns the real path of the deepest existing part of a path. */
  async function whereabouts(file: string): Promise<string> {
    for (let at = file; ; at = path.dirname(at)) {
      const real = await realpath(at).catch(() => null);
      if (real !== null) return real;
    }
  }

  test('by any path, through any links', async () => {
    let allowed = 0;
    await fc.assert(
      fc.asyncProperty(tree, fc.array(input, { minLength: 1, maxLength: 8 }), async (made, inputs) => {
        await build(made);
        const files = createFiles(root);
        for (const one of inputs) {
          const found = await safePath(root, one).catch((thrown: unknown) => {
            if (RoboSmithError.is(thrown, 'unsafe_path')) return null;
            throw thrown;
          });
          if (found !== null) {
            allowed += 1;
            expect(isInside(root, await whereabouts(found))).toBe(true);
          }
          expect(await files.read(one).catch(() => null)).not.toBe('secret');
          await files.writeAll([{ path: one, content: 'written' }]).catch(() => undefined);
        }
        expect(await contents(outside)).toEqual({ 'secret.ts': 'secret' });
        expect((await readdir(base)).sort()).toEqual(['outside', 'root']);
      }),
      { numRuns: 300 },
    );
    expect(allowed).toBeGreaterThan(100);
  });
});
