import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFiles } from '#io/transactions/files.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Files } from '#protocol/services.ts';
import { verifies } from '../../e2e/verifies.ts';

let base = '';
let root = '';
let files: Files;
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-writing-')));
  root = path.join(base, 'root');
  await mkdir(root);
  files = createFiles(root);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const text = (name: string): Promise<string> => readFile(path.join(root, name), 'utf8');
const put = (name: string, content: string): Promise<void> => writeFile(path.join(root, name), content);

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'written',
    (thrown: unknown) => (RoboSmithError.is(thrown) ? thrown.code : thrown),
  );

test('a write-protected file is refused, and nothing is written', async () => {
  await put('a', 'old');
  await put('b', 'old');
  await chmod(path.join(root, 'a'), 0o444);
  const wanted = ['a', 'b'].map((name) => ({ path: name, content: 'new', expected: hash('old') }));
  expect(await codeOf(files.writeAll(wanted))).toBe('unsafe_path');
  expect([await text('a'), await text('b')]).toEqual(['old', 'old']);
});

describe('expected content', () => {
  test('is read with its hash, and nothing of a file that is too large', async () => {
    await put('a', 'old');
    expect(await files.readBytes('a', 3)).toMatchObject({ kind: 'there', hash: hash('old') });
    expect(await files.readBytes('a', 2)).toEqual({ kind: 'too_large', size: 3 });
    expect(await files.readBytes('none', 2)).toEqual({ kind: 'missing' });
    await truncate(path.join(root, 'a'), 10 ** 13);
    expect(await files.readBytes('a', 100)).toEqual({ kind: 'too_large', size: 10 ** 13 });
  });

  test.each([
    ['changed', 'a', hash('older')],
    ['removed', 'none', hash('old')],
    ['made', 'a', null],
  ])('that was %s in the meantime is told, and nothing is written', async (_how, name, expected) => {
    verifies('workers.loom.optimistic-lock');
    await put('a', 'old');
    await put('b', 'old');
    const wanted = [
      { path: 'b', content: 'new', expected: hash('old') },
      { path: name, content: 'new', expected },
    ];
    expect(await codeOf(files.writeAll(wanted))).toBe('content_changed');
    expect(await codeOf(files.writeAll(wanted.slice(0, 1), [{ path: name, expected }]))).toBe('content_changed');
    expect([await text('a'), await text('b')]).toEqual(['old', 'old']);
    expect((await readdir(root)).sort()).toEqual(['a', 'b']);
  });

  test('is looked at right before the rename, when others have been moved already', async () => {
    verifies('workers.loom.optimistic-lock');
    await put('a', 'old');
    await put('b', 'old');
    const late = {
      path: 'b',
      expected: hash('old'),
      // This getter runs while the writer stages the files.
      get content() {
        writeFileSync(path.join(root, 'b'), 'of somebody else');
        return 'new';
      },
    };
    const writing = files.writeAll([{ path: 'a', content: 'new', expected: hash('old') }, late]);
    expect(await codeOf(writing)).toBe('content_changed');
    expect([await text('a'), await text('b')]).toEqual(['old', 'of somebody else']);
    expect((await readdir(root)).sort()).toEqual(['a', 'b']);
  });

  test.skipIf(process.platform === 'win32')('mode and bytes are kept', async () => {
    verifies('workers.loom.preserves');
    await put('run.sh', 'old');
    await chmod(path.join(root, 'run.sh'), 0o751);
    await files.writeAll([{ path: 'run.sh', content: Uint8Array.of(0xff, 0xfe, 0), expected: hash('old') }]);
    expect([...(await readFile(path.join(root, 'run.sh')))]).toEqual([0xff, 0xfe, 0]);
    expect((await stat(path.join(root, 'run.sh'))).mode & 0o777).toBe(0o751);
  });
});

describe('many at once', () => {
  test('of fifty that expect the same, one writes', async () => {
    verifies('workers.loom.optimistic-lock');
    await put('a', 'old');
    const all = Array.from({ length: 50 }, (_, index) =>
      codeOf(createFiles(root).writeAll([{ path: 'a', content: `new ${index}`, expected: hash('old') }])),
    );
    const ended = await Promise.all(all);
    expect(ended.filter((code) => code === 'written')).toHaveLength(1);
    expect(ended.filter((code) => code === 'content_changed')).toHaveLength(49);
    expect(await text('a')).toBe(`new ${ended.indexOf('written')}`);
    expect(await readdir(root)).toEqual(['a']);
  });

  test('fifty editors in five processes lose no update', async () => {
    verifies('workers.loom.optimistic-lock');
    await put('a', 'top\n');
    const program = fileURLToPath(new URL('../../support/loom-editors.ts', import.meta.url));
    const lost = await Promise.all(
      Array.from({ length: 5 }, async (_, index) => {
        const child = spawn(process.execPath, [program, root, String(index * 10), '10'], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let out = '';
        child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
        const code = await new Promise((resolve) => child.on('close', resolve));
        expect(code).toBe(0);
        return Number(out);
      }),
    );
    const lines = (await text('a')).trimEnd().split('\n');
    expect(lines.sort()).toEqual(['top', ...Array.from({ length: 50 }, (_, index) => `editor ${index};`)].sort());
    expect(lost).toEqual([0, 0, 0, 0, 0]);
    expect(await readdir(root)).toEqual(['a']);
  });
});

describe('what a process left that was killed', () => {
  const lockOf = (id: string, pid: number): string => JSON.stringify({ id, pid, started: null, host: hostname() });
  const writing = (): string => path.join(root, '.robosmith-writing');
  const NO_PROCESS = 2 ** 31 - 1;
  const temporary = `.robosmith-${randomUUID()}.tmp`;

  test('its lock is taken over, and its temporary files go', async () => {
    await mkdir(writing());
    await writeFile(path.join(writing(), 'lock'), lockOf(randomUUID(), NO_PROCESS));
    await writeFile(path.join(writing(), `${randomUUID()}.tmp`), '');
    await put(temporary, 'half');
    const plan = { moves: [{ path: 'a', from: temporary, kept: null, print: null }], folders: [] };
    await writeFile(path.join(writing(), 'plan.json'), JSON.stringify(plan));
    await files.settle();
    expect(await readdir(root)).toEqual([]);
  });

  test('many take over at once, one after the other', async () => {
    await put('a', '');
    await mkdir(writing());
    await writeFile(path.join(writing(), 'lock'), lockOf(randomUUID(), NO_PROCESS));
    const all = Array.from({ length: 20 }, () => files.writeAll([{ path: 'a', content: 'new' }]));
    await Promise.all(all);
    expect(await readdir(root)).toEqual(['a']);
  });

  test('what has been read before it was taken back is out of date', async () => {
    await put('a', 'new');
    const kept = `.robosmith-${randomUUID()}.tmp`;
    await put(kept, 'old');
    const { ino, size, mtimeNs } = await stat(path.join(root, 'a'), { bigint: true });
    const print = { ino: String(ino), size: String(size), mtime: String(mtimeNs) };
    await mkdir(writing());
    const moving = { moves: [{ path: 'a', from: temporary, kept, print }], folders: [] };
    await writeFile(path.join(writing(), 'moving.json'), JSON.stringify(moving));
    expect(await codeOf(files.writeAll([{ path: 'b', content: 'x', expected: null }]))).toBe('content_changed');
    expect(await text('a')).toBe('old');
    expect(await readdir(root)).toEqual(['a']);
  });

  test('a file that somebody has changed since stays', async () => {
    await put('a', 'of somebody else');
    await put(temporary, 'old');
    await mkdir(writing());
    const print = { ino: '1', size: '3', mtime: '1' };
    const from = `.robosmith-${randomUUID()}.tmp`;
    const moving = { moves: [{ path: 'a', from, kept: temporary, print }], folders: [] };
    await writeFile(path.join(writing(), 'moving.json'), JSON.stringify(moving));
    await files.settle();
    expect(await text('a')).toBe('of somebody else');
    expect(await readdir(root)).toEqual(['a']);
  });

  test('a record that a project brings along reaches nothing outside, nothing of git and no other file', async () => {
    await put('a', 'a');
    await mkdir(path.join(root, '.git'));
    await put('.git/hook', 'hook');
    await writeFile(path.join(base, 'outside'), 'outside');
    await mkdir(writing());
    const moves = ['../outside', '.git/hook', 'a', 7, null].map((file) => ({
      path: file,
      from: 'a',
      kept: '.git/hook',
      print: {},
    }));
    for (const phase of ['plan', 'moving', 'done'])
      await writeFile(
        path.join(writing(), `${phase}.json`),
        JSON.stringify({
          moves: [...moves, 'x', { path: '.git/x', from: temporary, kept: temporary }],
          folders: ['..', '.git', 3],
        }),
      );
    await files.writeAll([{ path: 'b', content: 'b' }]);
    expect((await readdir(root, { recursive: true })).sort()).toEqual(['.git', '.git/hook', 'a', 'b']);
    expect(await readdir(base)).toEqual(['outside', 'root']);
  });

  test.each([
    ['a damaged lock', () => writeFile(path.join(writing(), 'lock'), 'x')],
    ['a lock whose name would lead elsewhere', () => writeFile(path.join(writing(), 'lock'), lockOf('../../x', 1))],
  ])('%s is told, with the file to remove', async (_what, make) => {
    await mkdir(writing());
    await make();
    await expect(files.writeAll([{ path: 'a', content: '' }])).rejects.toMatchObject({
      code: 'io',
      data: { path: path.join(writing(), 'lock') },
    });
  });

  test.skipIf(process.platform === 'win32')('a link in the place of its folder is refused', async () => {
    await symlink(base, writing());
    expect(await codeOf(files.writeAll([{ path: 'a', content: '' }]))).toBe('io');
    expect((await readdir(base)).sort()).toEqual(['root']);
  });
});

describe.skipIf(process.platform === 'win32')('a path that was allowed', () => {
  test('is not written when it leads elsewhere by then, also inside of the root', async () => {
    await mkdir(path.join(root, 'src'));
    await mkdir(path.join(root, 'secret'));
    const located = await files.locate('src/a');
    await rename(path.join(root, 'src'), path.join(root, 'moved'));
    await symlink('secret', path.join(root, 'src'));
    expect(await codeOf(files.writeAll([{ path: 'src/a', content: 'x', located }]))).toBe('unsafe_path');
    expect(await readdir(path.join(root, 'secret'))).toEqual([]);
  });
});

test('a file system that takes two cases for one name is told from one that does not', async () => {
  await put('Name', '');
  const same = await stat(path.join(root, 'nAME')).then(
    () => true,
    () => false,
  );
  expect(await files.ignoresCase()).toBe(same);
});
