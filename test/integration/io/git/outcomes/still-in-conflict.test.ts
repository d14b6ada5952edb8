import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { concludeUpdate, type BaseUpdate, updateFromBase } from '#io/git/outcomes/update-from-base.ts';
import { gitFolder, type GitFolder, newRepository, realGit } from '../../../../support/git-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let main: GitFolder;
let work: GitFolder;
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({
    'a.txt': 'a\n',
    bin: 'bin\0\n',
    gone: 'gone\0\n',
    kept: 'kept\0\n',
    '.gitattributes': 'a.txt conflict-marker-size=12\n',
  }));
});
afterEach(() => removeFolder(base));

async function conflictsOf(): Promise<readonly string[]> {
  const updated = await updateFromBase(realGit, { worktree: work.at, branch: 'work', base: 'main', snapshotRef: null });
  return updated.kind === 'conflicts' ? updated.conflicts.map(({ file }) => file) : [updated.kind];
}

const conclude = (): Promise<BaseUpdate> => concludeUpdate(realGit, work.at);

test('markers of more than seven signs are markers', async () => {
  work.put('a.txt', 'mine\n');
  work.commit('mine');
  main.put('a.txt', 'theirs\n');
  main.commit('theirs');
  expect(await conflictsOf()).toEqual(['a.txt']);
  expect(await conclude()).toMatchObject({ kind: 'refused', why: 'conflict', files: ['a.txt'] });
  // If a person chooses the session's version unchanged, the file counts as resolved.
  work.put('a.txt', 'mine\n');
  expect(await conclude()).toMatchObject({ kind: 'updated' });
  expect(work.git('show', 'HEAD:a.txt')).toBe('mine');
});

test('files without markers are in conflict until they are changed, removed or added', async () => {
  work.put('bin', 'mine\0\n');
  work.put('kept', 'mine\0\n');
  rmSync(path.join(work.at, 'gone'));
  work.commit('mine');
  main.put('bin', 'theirs\0\n');
  main.put('gone', 'theirs\0\n');
  rmSync(path.join(main.at, 'kept'));
  main.commit('theirs');
  expect(await conflictsOf()).toEqual(['bin', 'gone', 'kept']);
  const said = await conclude();
  expect(said).toMatchObject({ kind: 'refused', why: 'conflict', files: ['bin', 'gone', 'kept'] });
  expect(said).toMatchObject({ message: expect.stringMatching(/^gone: .*\nkept: .*the base deleted it/m) as string });
  expect(said).toMatchObject({
    message: expect.stringMatching(/^bin: .*no conflict markers: keep one version/m) as string,
  });
  expect(said).not.toMatchObject({ message: expect.stringContaining('remove the conflict markers') as string });
  work.put('bin', 'of both\0\n');
  expect(await conclude()).toMatchObject({ files: ['gone', 'kept'] });
  rmSync(path.join(work.at, 'gone'));
  expect(await conclude()).toMatchObject({ files: ['kept'] });
  work.git('add', 'kept');
  expect(await conclude()).toMatchObject({ kind: 'updated' });
  expect(work.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('.gitattributes\na.txt\nbin\nkept');
  expect(work.git('show', 'HEAD:bin')).toBe('of both\0');
});

test('so are links and submodules', async () => {
  const library = newRepository(path.join(base, 'library'));
  const commits = ['one', 'two', 'three'].map((name) => library.commit(name));
  const at = (folder: GitFolder, commit: string, target: string): void => {
    folder.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
    rmSync(path.join(folder.at, 'link'), { force: true });
    symlinkSync(target, path.join(folder.at, 'link'));
    folder.git('add', 'link');
    folder.git('commit', '-qm', 'sub');
  };
  at(main, commits[0] ?? '', 'a.txt');
  expect(await conflictsOf()).toEqual(['updated']);
  work.git('clone', '-q', library.at, 'sub');
  const sub = gitFolder(path.join(work.at, 'sub'));
  sub.git('checkout', '-q', commits[1] ?? '');
  at(work, commits[1] ?? '', 'bin');
  sub.git('switch', '-q', '--orphan', 'other');
  const other = sub.commit('other');
  sub.git('checkout', '-q', commits[1] ?? '');
  at(main, other, 'kept');
  expect(await conflictsOf()).toEqual(['link', 'sub']);
  expect(await conclude()).toMatchObject({ kind: 'refused', why: 'conflict', files: ['link', 'sub'] });
  sub.git('checkout', '-q', other);
  expect(await conclude()).toMatchObject({ files: ['link'] });
  work.git('add', 'link');
  expect(await conclude()).toMatchObject({ kind: 'updated' });
  expect(work.git('rev-parse', 'HEAD:sub')).toBe(other);
});
