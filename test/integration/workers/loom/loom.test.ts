import { Buffer } from 'node:buffer';
import { chmod, mkdir, open, readdir, readFile, rename, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFiles } from '#io/transactions/files.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Response } from '#protocol/response.ts';
import type { Files } from '#protocol/services.ts';
import { applyOperations } from '#workers/loom/apply-operations.ts';
import { parseOperations } from '#workers/loom/parse-operations.ts';
import { editFailure } from '#workers/loom/make-edits.ts';
import { problem } from '#workers/loom/problem.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { newFolder, removeFolder, runIn, withWorker } from '../../../support/in-folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => removeFolder(folder));

const SHARED = { mode: 'shared' } as const;
const at = (name: string): string => path.join(folder, name);
const put = async (name: string, content: string | Uint8Array): Promise<void> => {
  await mkdir(path.dirname(at(name)), { recursive: true });
  await writeFile(at(name), content);
};
const text = (name: string): Promise<string> => readFile(at(name), 'utf8');

const append = (file: string, content = 'x') => ({ op: 'append', path: file, content });

interface Ended {
  readonly signal: string | null | undefined;
  readonly last: Response['data']['payload'][number] | undefined;
  readonly codes: readonly unknown[];
}

async function loom(operations: readonly JsonValue[], block: object = { access: SHARED }): Promise<Ended> {
  const { path: steps, data } = await runIn(
    folder,
    withWorker('Internal:Loom', {}, { params: { operations }, ...block }),
  );
  const last = data.payload.at(-1);
  const errors = last?.meta['errors'];
  const codes = Array.isArray(errors) ? (errors as readonly { readonly code: unknown }[]).map(({ code }) => code) : [];
  return { signal: steps.at(-1)?.signal, last, codes };
}

describe('Internal:Loom', () => {
  test('edits several files as one transaction, and says when all is there', async () => {
    verifies('workers.loom.operations', 'workers.loom.idempotent');
    await put('a.ts', 'import a;\n');
    await put('src/b.ts', 'one\ntwo\n');
    const operations = [
      { op: 'insert', path: 'a.ts', anchor: 'import a;', content: 'import b;' },
      { op: 'replaceLine', path: 'src/b.ts', line: 2, content: 'TWO', expected: 'two' },
      append('docs/new.md', '# New\n'),
    ];
    const first = await loom(operations);
    expect([first.signal, first.last?.type, first.last?.content]).toEqual([
      'SIGNAL:SUCCESS',
      'FILES_EDITED',
      'a.ts: edited, 1 made\nsrc/b.ts: edited, 1 made\ndocs/new.md: created, 1 made',
    ]);
    const after = [await text('a.ts'), await text('src/b.ts'), await text('docs/new.md')];
    expect(after).toEqual(['import a;\nimport b;\n', 'one\nTWO\n', '# New\n']);
    const before = (await stat(at('a.ts'))).mtimeMs;
    const second = await loom(operations);
    expect([second.signal, second.last?.content]).toEqual([
      'SIGNAL:SUCCESS',
      ['a.ts', 'src/b.ts', 'docs/new.md'].map((name) => `${name}: already up to date`).join('\n'),
    ]);
    expect((await stat(at('a.ts'))).mtimeMs).toBe(before);
  });

  test('writes none when one of them does not fit', async () => {
    verifies('workers.loom.operations', 'workers.loom.one-match');
    await put('a.ts', 'a\n');
    await put('b.ts', 'b\nb\n');
    const ended = await loom([append('a.ts'), { op: 'insert', path: 'b.ts', anchor: 'b', content: 'x' }]);
    expect([ended.signal, ended.last?.type, ended.codes]).toEqual([
      'SIGNAL:FAILURE',
      'LOOM_ERROR',
      ['ambiguous_anchor'],
    ]);
    expect(ended.last?.content).toBe(
      [
        'Nothing was written.',
        'ambiguous_anchor: operation 2, "b.ts": the anchor occurs 2 times in the file. Use a longer one, or replaceLine with the line number',
        '  matches:',
        '    1: b',
        '    2: b',
      ].join('\n'),
    );
    expect(await text('a.ts')).toBe('a\n');
  });

  test('says no more of what does not fit than a prompt has room for', () => {
    verifies('workers.loom.one-match');
    const matches = Array.from({ length: 1_000 }, (_, index) => ({ line: index + 1, text: 'x'.repeat(200) }));
    const about = (number: number) => ({ number, path: 'p'.repeat(1_000) });
    const describedOf = (count: number) => {
      const problems = Array.from({ length: count }, (_, index) =>
        problem('ambiguous_anchor', about(index + 1), 'there 1000 times', { matches }),
      );
      const [segment] = editFailure(problems).append ?? [];
      return { content: segment?.content ?? '', size: JSON.stringify(segment?.meta).length };
    };
    expect(describedOf(1).content).toMatch(/\n {4}20: x+\n {4}… and 980 more$/);
    expect(describedOf(1).size).toBeGreaterThan(200_000);
    const all = describedOf(1_000);
    expect(all.content.length).toBeLessThan(31_000);
    expect(all.content).toMatch(
      /… and 99\d more problems, which are not shown. Correct these first, or make fewer edits at once$/,
    );
    expect(all.size).toBeLessThan(2_000_000);
  });

  test('two paths of one file are one file', async () => {
    await put('src/a.ts', 'a\nb\n');
    const twice = [
      { op: 'replaceLine', path: 'src/a.ts', line: 1, content: 'A' },
      { op: 'replaceLine', path: './src//a.ts', line: 2, content: 'B' },
    ];
    expect((await loom(twice)).signal).toBe('SIGNAL:SUCCESS');
    expect(await text('src/a.ts')).toBe('A\nB\n');
  });

  test('without operations it says what is missing', async () => {
    const { path: steps, data } = await runIn(folder, withWorker('Internal:Loom', {}, { access: SHARED }));
    expect(steps.at(-1)?.signal).toBe('SIGNAL:FAILURE');
    expect(data.payload.at(-1)?.content).toContain('no_operations: the payload has no segment with edit operations');
  });
});

describe('access', () => {
  test.each<[string, object, string, readonly unknown[]]>([
    ['strict: nothing', { access: { mode: 'strict' } }, 'a.ts', ['access_denied']],
    ['nothing listed', {}, 'a.ts', ['access_denied']],
    ['partial: what is listed', { access: { mode: 'partial', paths: ['src/**'] } }, 'src/a.ts', []],
    ['partial: nothing else', { access: { mode: 'partial', paths: ['src/**'] } }, 'a.ts', ['access_denied']],
    ['the artifact', { artifact: 'a.ts' }, 'a.ts', []],
    ['shared: the whole', { access: SHARED }, 'a.ts', []],
    ['shared: not git', { access: SHARED }, '.git/config', ['access_denied']],
    ['shared: not ours', { access: SHARED }, '.FLOW/flow.registry.json', ['access_denied']],
    ['shared: nothing outside', { access: SHARED }, '../a.ts', ['unsafe_path']],
    ['shared: nothing absolute', { access: SHARED }, '/etc/passwd', ['unsafe_path']],
  ])('%s', async (_what, block, file, codes) => {
    verifies('workers.access.modes');
    await put('a.ts', 'a\n');
    await put('src/a.ts', 'a\n');
    expect((await loom([append(file)], block)).codes).toEqual(codes);
  });

  test.skipIf(process.platform === 'win32')('is looked at where links lead, not where they are', async () => {
    verifies('workers.access.modes');
    await put('secret/a.ts', 'a\n');
    await put('src/b.ts', 'b\n');
    await symlink('../secret/a.ts', at('src/a.ts'));
    await symlink('src/b.ts', at('b.ts'));
    const block = { access: { mode: 'partial', paths: ['src/**'] } };
    expect((await loom([append('src/a.ts')], block)).codes).toEqual(['access_denied']);
    expect((await loom([append('b.ts')], block)).codes).toEqual([]);
    expect([await text('secret/a.ts'), await text('src/b.ts')]).toEqual(['a\n', 'b\nx\n']);
  });

  test('follows the case rules of the file system', async () => {
    verifies('workers.access.modes');
    await put('src/a.ts', 'a\n');
    const real = createFiles(folder);
    const parsed = parseOperations([append('src/a.ts')]);
    if (!parsed.ok) throw new Error('it is an operation');
    const codes = async (ignores: boolean) => {
      const files: Files = { ...real, ignoresCase: () => Promise.resolve(ignores) };
      const access = { mode: 'partial', paths: ['SRC/**'] } as const;
      const applied = await applyOperations(parsed.operations, { files, access, dryRun: true });
      return applied.ok ? [] : applied.problems.map(({ code }) => code);
    };
    expect([await codes(false), await codes(true)]).toEqual([['access_denied'], []]);
  });
});

describe('between reading and writing', () => {
  const APPEND = parseOperations([append('src/a.ts')]);

  /** Appends to a file while `happens` runs right before the write, and returns the code and path of each problem. */
  async function meanwhile(happens: () => Promise<void>): Promise<readonly unknown[]> {
    await put('src/a.ts', 'a\n');
    const real = createFiles(folder);
    const files: Files = {
      ...real,
      writeAll: async (...given) => {
        await happens();
        await real.writeAll(...given);
      },
    };
    if (!APPEND.ok) throw new Error('it is an operation');
    const access = { mode: 'partial', paths: ['src/**'] } as const;
    const applied = await applyOperations(APPEND.operations, { files, access });
    return applied.ok ? [] : applied.problems.map(({ code, path: file }) => [code, file]);
  }

  test.each<[string, () => Promise<void>, string | null]>([
    ['is changed', () => put('src/a.ts', 'theirs'), 'theirs'],
    ['is removed', () => rename(at('src/a.ts'), at('b.ts')), null],
  ])('a file that %s is told, and left alone', async (_what, happens, after) => {
    verifies('workers.loom.optimistic-lock');
    expect(await meanwhile(happens)).toEqual([['content_changed', 'src/a.ts']]);
    expect(await text('src/a.ts').catch(() => null)).toBe(after);
  });

  test.each<[string, object, string, string | null]>([
    [
      'an insertion',
      { op: 'insert', anchor: 'two', position: 'after', content: 'new' },
      'zero\none\ntwo\n',
      'zero\none\ntwo\nnew\n',
    ],
    ['appended text', { op: 'append', content: 'new' }, 'one\ntwo\nthree\n', 'one\ntwo\nthree\nnew\n'],
    [
      'a line that is as expected',
      { op: 'replaceLine', line: 2, content: 'new', expected: 'two' },
      'ONE\ntwo\n',
      'ONE\nnew\n',
    ],
    [
      'an insertion without its anchor',
      { op: 'insert', anchor: 'two', position: 'after', content: 'new' },
      'one\n',
      null,
    ],
    [
      'an insertion with two anchors',
      { op: 'insert', anchor: 'two', position: 'after', content: 'new' },
      'two\ntwo\n',
      null,
    ],
    ['a line by its number only', { op: 'replaceLine', line: 2, content: 'new' }, 'zero\none\ntwo\n', null],
    [
      'another line than expected',
      { op: 'replaceLine', line: 2, content: 'new', expected: 'two' },
      'zero\none\ntwo\n',
      null,
    ],
  ])('%s is planned again while its anchor holds', async (_what, operation, theirs, after) => {
    await put('src/a.ts', 'one\ntwo\n');
    const real = createFiles(folder);
    const files: Files = {
      ...real,
      writeAll: async (...given) => {
        await put('src/a.ts', theirs);
        await real.writeAll(...given);
      },
    };
    const parsed = parseOperations([{ path: 'src/a.ts', ...operation }]);
    if (!parsed.ok) throw new Error('it is an operation');
    const applied = await applyOperations(parsed.operations, { files, access: { mode: 'shared', paths: [] } });
    expect(applied.ok ? [] : applied.problems.map(({ code }) => code)).toEqual(
      after === null ? ['content_changed'] : [],
    );
    expect(await text('src/a.ts')).toBe(after ?? theirs);
  });

  test('fifty edits of one file at once are all made', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index};`);
    await put('src/a.ts', `${lines.join('\n')}\n`);
    const made = await Promise.all(
      lines.map((line, index) =>
        loom([{ op: 'insert', path: 'src/a.ts', anchor: line, position: 'after', content: `new ${index}` }]),
      ),
    );
    expect(made.flatMap(({ codes }) => codes)).toEqual([]);
    expect(await text('src/a.ts')).toBe(lines.map((line, index) => `${line}\nnew ${index}\n`).join(''));
  });

  test.skipIf(process.platform === 'win32')('a link that is put in its way leads to nothing', async () => {
    verifies('workers.loom.optimistic-lock', 'workers.safe-path.links');
    await put('secret/a.ts', 'a\n');
    const swap = async (): Promise<void> => {
      await rename(at('src'), at('moved'));
      await symlink('secret', at('src'));
    };
    expect(await meanwhile(swap)).toEqual([['unsafe_path', 'src/a.ts']]);
    expect([await text('secret/a.ts'), await text('moved/a.ts')]).toEqual(['a\n', 'a\n']);
  });
});

describe('files', () => {
  test.each<[string, Uint8Array, string]>([
    ['Latin-1', Buffer.from('caf\xe9\n', 'latin1'), 'unknown_encoding'],
    ['cut UTF-8', Buffer.from([0x61, 0xc3]), 'unknown_encoding'],
    ['half of a UTF-16 unit', Buffer.from([0xff, 0xfe, 0x61]), 'unknown_encoding'],
    ['half of a UTF-16 character', Buffer.from([0xff, 0xfe, 0, 0xd8]), 'unknown_encoding'],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), 'unknown_encoding'],
    ['UTF-16 without a mark', Buffer.from('abc', 'utf16le'), 'binary_file'],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]), 'binary_file'],
  ])('in %s are refused', async (_what, bytes, code) => {
    verifies('workers.loom.preserves');
    await put('a', bytes);
    expect((await loom([append('a')])).codes).toEqual([code]);
    expect([...(await readFile(at('a')))]).toEqual([...bytes]);
  });

  test.each<[string, (one: string) => Uint8Array]>([
    ['UTF-8', (one) => Buffer.from(one)],
    ['UTF-8 with a mark', (one) => Buffer.from(`\u{feff}${one}`)],
    ['UTF-16 LE', (one) => Buffer.from(`\u{feff}${one}`, 'utf16le')],
    ['UTF-16 BE', (one) => Buffer.from(`\u{feff}${one}`, 'utf16le').swap16()],
  ])('in %s stay so', async (_what, bytes) => {
    verifies('workers.loom.preserves');
    await put('a', bytes('é 𝒳\r\nb'));
    expect((await loom([{ op: 'insert', path: 'a', anchor: 'é 𝒳', content: 'ß' }])).signal).toBe('SIGNAL:SUCCESS');
    expect([...(await readFile(at('a')))]).toEqual([...bytes('é 𝒳\r\nß\r\nb')]);
  });

  test.skipIf(process.platform === 'win32')('keep their mode', async () => {
    verifies('workers.loom.preserves');
    await put('a', 'a\n');
    await chmod(at('a'), 0o754);
    await loom([append('a')]);
    expect((await stat(at('a'))).mode & 0o777).toBe(0o754);
  });

  test('that are not there are told; appending alone makes one', async () => {
    expect((await loom([{ op: 'replaceLine', path: 'a', line: 1, content: 'x' }])).codes).toEqual(['file_not_found']);
    expect((await loom([append('b', 'x\n')])).codes).toEqual([]);
    expect([await readdir(folder), await text('b')]).toEqual([['b'], 'x\n']);
  });

  test('of 100 MB are edited, larger ones refused without being read', async () => {
    const row = Buffer.from(`${'x'.repeat(99)}\n`);
    const file = await open(at('a'), 'w');
    await file.writeFile(Buffer.alloc(99_999_900, row));
    await file.writeFile(Buffer.from(`${'y'.repeat(99)}\n`));
    await file.close();
    const edit = { op: 'replaceLine', path: 'a', line: 1_000_000, content: `z${'y'.repeat(98)}` };
    expect((await loom([edit])).codes).toEqual([]);
    expect((await stat(at('a'))).size).toBe(100_000_000);
    const end = (await readFile(at('a'))).subarray(99_999_800).toString();
    expect(end).toBe(`${row.toString()}z${'y'.repeat(98)}\n`);
    await truncate(at('a'), 100_000_001);
    expect((await loom([append('a')])).codes).toEqual(['file_too_large']);
    await truncate(at('a'), 10 ** 13);
    expect((await loom([append('a')])).codes).toEqual(['file_too_large']);
  });
});
