import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readHeadFile, readRefFiles } from '#io/git/plumbing/ref-files.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let common = '';
let commit = '';

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.org', ...args], {
    cwd: base,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

const FOLDERS = ['refs/heads/', 'refs/tags/', 'refs/robosmith/'];

/** The refs as git lists them. */
const listed = (): readonly (readonly [string, string])[] =>
  git('for-each-ref', '--format=%(refname) %(objectname)', ...FOLDERS)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ') as [string, string]);

const read = async () => {
  const found = await readRefFiles(common, FOLDERS);
  return found === null ? null : [...found];
};

beforeEach(async () => {
  base = await newFolder();
  common = path.join(base, '.git');
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'one');
  commit = git('rev-parse', 'HEAD');
  git('tag', 'light');
  git('tag', '-a', '-m', 'annotated', 'v1/heavy');
  git('update-ref', 'refs/robosmith/steps/r1/2', commit);
});
afterEach(() => removeFolder(base));

describe('refs are read as git lists them', () => {
  test('each in a file of its own, with folders', async () => {
    expect((await read())?.map(([ref]) => ref)).toEqual([
      'refs/heads/main',
      'refs/robosmith/steps/r1/2',
      'refs/tags/light',
      'refs/tags/v1/heavy',
    ]);
    expect(await read()).toEqual(listed());
  });

  test('packed, and changed or deleted afterwards', async () => {
    git('pack-refs', '--all');
    expect(await read()).toEqual(listed());
    git('commit', '-q', '--allow-empty', '-m', 'two');
    git('tag', '-d', 'light');
    git('tag', 'again');
    expect(await read()).toEqual(listed());
    expect(await read()).toHaveLength(4);
  });

  test('a lock file of git is no ref', async () => {
    writeFileSync(path.join(common, 'refs/tags/light.lock'), '');
    expect(await read()).toEqual(listed());
  });

  test('only the wanted ones', async () => {
    git('branch', 'other');
    git('pack-refs', '--all');
    git('branch', 'loose');
    const wanted = ['refs/heads/other', 'refs/heads/loose', 'refs/heads/none'];
    expect([...((await readRefFiles(common, wanted)) ?? [])]).toEqual([
      ['refs/heads/loose', commit],
      ['refs/heads/other', commit],
    ]);
  });
});

describe('git has to be asked about', () => {
  const refFile = (name: string): string => path.join(common, name);
  test.each<[string, () => void]>([
    ['a ref that names another ref', () => git('symbolic-ref', 'refs/tags/alias', 'refs/tags/light')],
    ['a ref with other content', () => writeFileSync(refFile('refs/tags/light'), 'none\n')],
    ['a link to a ref', () => symlinkSync('light', refFile('refs/tags/linked'))],
    [
      'a pipe',
      () => {
        rmSync(refFile('refs/tags/light'));
        execFileSync('mkfifo', [refFile('refs/tags/light')]);
      },
    ],
    [
      'a pipe in the place of the packed refs',
      () => {
        execFileSync('mkfifo', [refFile('packed-refs')]);
      },
    ],
    ['a name that git allows in no ref', () => writeFileSync(refFile('refs/tags/a b'), `${commit}\n`)],
    ['the format "reftable", by its folder', () => mkdirSync(refFile('reftable'))],
    ['the format "reftable", by its HEAD', () => writeFileSync(refFile('HEAD'), 'ref: refs/heads/.invalid\n')],
    ['a folder without HEAD', () => rmSync(refFile('HEAD'))],
  ])('%s', async (_, change) => {
    change();
    expect(await read()).toBeNull();
  });
});

describe('HEAD', () => {
  test('names a branch, or is detached', () => {
    expect(readHeadFile(common)).toBe('refs/heads/main');
    git('checkout', '-q', '--detach');
    expect(readHeadFile(common)).toBe('');
  });

  test.each(['ref: refs/heads/.invalid\n', 'ref: refs/tags/light\n', ''])('with %j, git has to be asked', (text) => {
    writeFileSync(path.join(common, 'HEAD'), text);
    expect(readHeadFile(common)).toBeNull();
  });
});
