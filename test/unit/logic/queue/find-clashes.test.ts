import { expect, test } from 'vitest';
import { type SessionPaths, findClashes } from '../../../../src/logic/queue/find-clashes.ts';
import type { SessionId } from '../../../../src/protocol/id.ts';
import { verifies } from '../../../e2e/verifies.ts';

const claim = (session: string, ...paths: string[]): SessionPaths => ({ session: session as SessionId, paths });

test('plans that share a file clash, with the files', () => {
  verifies('worktrees.clash.direct');
  const claims = [claim('s1', 'src/a.ts', 'src/b.ts'), claim('s2', 'src/b.ts', 'lib/**'), claim('s3', 'lib/c.ts')];
  expect(findClashes(claims, false)).toEqual([
    { sessions: ['s1', 's2'], files: ['src/b.ts'] },
    { sessions: ['s2', 's3'], files: ['lib/c.ts'] },
  ]);
});

test('two globs that meet stand with both, the same one once', () => {
  expect(findClashes([claim('s1', 'src/**', 'docs/**'), claim('s2', '**/*.ts', 'docs/**')], false)).toEqual([
    { sessions: ['s1', 's2'], files: ['src/** & **/*.ts', 'docs/** & **/*.ts', 'docs/**'] },
  ]);
});

test('a file in one plan that is a folder in the other clashes', () => {
  expect(findClashes([claim('s1', 'src/a'), claim('s2', 'src/a/b.ts')], false)).toEqual([
    { sessions: ['s1', 's2'], files: ['src/a'] },
  ]);
  expect(findClashes([claim('s1', 'src/a/b.ts'), claim('s2', 'src/a')], false)).toEqual([
    { sessions: ['s1', 's2'], files: ['src/a'] },
  ]);
});

test('braces that name files and folders are each of them: all that is in a folder, too', () => {
  verifies('worktrees.clash.direct');
  const files = (one: string, other: string) => findClashes([claim('s1', one), claim('s2', other)], false)[0]?.files;
  expect(files('src/{a,b}', 'src/b/deep/c.ts')).toEqual(['src/b']);
  expect(files('src/b/deep/c.ts', 'src/{a,b}')).toEqual(['src/b']);
  expect(files('src/{a,b}', 'src/{b,c}/d.ts')).toEqual(['src/b']);
  expect(files('src/{a,*.ts}', 'src/a/b.js')).toEqual(['src/a']);
  expect(files('src/{a,*.ts}', 'src/x.ts')).toEqual(['src/x.ts']);
  expect(files('src/{a/,b/}', 'src/a/*.ts')).toEqual(['src/a/ & src/a/*.ts']);
  expect(files('src/{a,b}', 'src/c/d.ts')).toBeUndefined();
  expect(files('src/{a,b}.ts', '**/*.md')).toBeUndefined();
});

test.each([
  ['new', 'new/*.ts'],
  ['new', 'new/deep/**/a.ts'],
  ['a/{b,c}', 'a/b/*.ts'],
  ['new', '{old,new}/*.ts'],
  ['sub', 'sub/*.c'],
])('%s clashes with %s: a glob may be for what is in it', (path, glob) => {
  verifies('worktrees.clash.direct');
  expect(findClashes([claim('s1', path), claim('s2', glob)], false)).toHaveLength(1);
  expect(findClashes([claim('s1', glob), claim('s2', path)], false)).toHaveLength(1);
});

test('a path is no folder of a glob that does not name it', () => {
  expect(findClashes([claim('s1', 'src/a.ts'), claim('s2', '**/*.md', 'src/*/x.ts', 'lib/*.ts')], false)).toEqual([]);
});

test('names that differ in case alone clash only where the file system has none', () => {
  const claims = [claim('s1', 'README.md'), claim('s2', 'readme.md')];
  expect(findClashes(claims, false)).toEqual([]);
  expect(findClashes(claims, true)).toEqual([{ sessions: ['s1', 's2'], files: ['README.md'] }]);
});

test('a path with the characters of a glob in it, escaped, is one path', () => {
  expect(findClashes([claim('s1', String.raw`app/\[id\]/page.ts`), claim('s2', 'app/*/page.ts')], false)).toEqual([
    { sessions: ['s1', 's2'], files: ['app/[id]/page.ts'] },
  ]);
});

test('fifty plans of two hundred files: only the pair that shares one', () => {
  const claims = Array.from({ length: 50 }, (_, index) =>
    claim(
      `s${String(index)}`,
      ...Array.from({ length: 200 }, (__, file) => `src/p${String(index)}/f${String(file)}.ts`),
    ),
  );
  const shared = [...claims.slice(0, 49), claim('s49', 'src/p3/f7.ts')];
  expect(findClashes(shared, false)).toEqual([{ sessions: ['s3', 's49'], files: ['src/p3/f7.ts'] }]);
});

test('of very many files that two share, the first fifty are told', () => {
  const files = Array.from({ length: 60 }, (_, index) => `src/${String(index)}.ts`);
  const clashes = findClashes([claim('s1', ...files), claim('s2', ...files)], false);
  expect(clashes).toEqual([{ sessions: ['s1', 's2'], files: files.slice(0, 50) }]);
});
