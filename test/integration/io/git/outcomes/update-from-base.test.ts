import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { abortUpdate, concludeUpdate, updateFromBase } from '#io/git/outcomes/update-from-base.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { folderPicture } from '../../../../support/folder-picture.ts';
import { type GitFolder, realGit } from '../../../../support/git-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let main: GitFolder;
let work: GitFolder;
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({ a: 'a\n', b: 'b\n', c: 'c\n', d: 'd\n' }));
});
afterEach(() => removeFolder(base));

const RESCUE = 'refs/robosmith/rescue/s1/1';
const update = (snapshotRef: string | null = null) =>
  updateFromBase(realGit, { worktree: work.at, branch: 'work', base: 'main', snapshotRef });

function conflict(): void {
  work.put('a', 'mine\n');
  work.put('both', 'mine\n');
  rmSync(path.join(work.at, 'b'));
  work.put('c', 'mine\n');
  work.commit('mine');
  main.put('a', 'theirs\n');
  main.put('both', 'theirs\n');
  main.put('b', 'theirs\n');
  rmSync(path.join(main.at, 'c'));
  main.put('d', 'theirs\n');
  main.commit('theirs');
}

describe('an update', () => {
  test('brings the base in, and says when there is nothing to bring', async () => {
    expect(await update()).toEqual({ kind: 'up_to_date', commit: work.git('rev-parse', 'HEAD') });
    main.put('d', 'theirs\n');
    main.commit('theirs');
    main.git('config', 'merge.ff', 'false');
    expect(await update()).toEqual({ kind: 'updated', commit: main.git('rev-parse', 'main') });
    main.put('d', 'again\n');
    main.commit('again');
    work.put('a', 'mine\n');
    work.commit('mine');
    expect(await update()).toMatchObject({ kind: 'updated' });
    expect(work.git('log', '-1', '--format=%s')).toBe('Merge main into work');
  });

  test('leaves conflicts in the worktree, each with its kind, both sides and what to do', async () => {
    verifies('worktrees.update.guided');
    conflict();
    const updated = await update();
    const conflicts =
      updated.kind === 'conflicts'
        ? updated.conflicts.map(({ advice, ...rest }) => (expect(advice).not.toBe(''), rest))
        : [];
    expect(conflicts).toEqual([
      { file: 'a', kind: 'both_modified', session: 'mine\n', base: 'theirs\n' },
      { file: 'b', kind: 'deleted_by_session', session: null, base: 'theirs\n' },
      { file: 'both', kind: 'both_added', session: 'mine\n', base: 'theirs\n' },
      { file: 'c', kind: 'deleted_by_base', session: 'mine\n', base: null },
    ]);
    expect(await update()).toMatchObject({ why: 'merge_under_way' });
    expect(await concludeUpdate(realGit, work.at)).toMatchObject({ why: 'conflict', files: ['a', 'b', 'both', 'c'] });
    work.put('a', 'both of them\n=======\n');
    work.put('both', 'both\n');
    rmSync(path.join(work.at, 'b'));
    work.git('add', 'c');
    expect(await concludeUpdate(realGit, work.at)).toMatchObject({ kind: 'updated' });
    expect(work.git('status', '--porcelain')).toBe('');
    expect(work.git('log', '-1', '--format=%P').split(' ')).toHaveLength(2);
    expect(Object.keys(folderPicture(work.at)).sort()).toEqual(['a', 'both', 'c', 'd']);
  });

  test('that is aborted leaves all as it was, and what was resolved is saved', async () => {
    conflict();
    const before = folderPicture(work.at);
    await update();
    work.put('a', 'half resolved\n');
    expect(await abortUpdate(realGit, work.at, RESCUE)).toEqual({ kind: 'aborted' });
    expect(folderPicture(work.at)).toEqual(before);
    expect(work.git('status', '--porcelain')).toBe('');
    expect(work.git('show', `${RESCUE}:a`)).toBe('half resolved');
    expect(await abortUpdate(realGit, work.at, RESCUE)).toMatchObject({ why: 'missing' });
    expect(await concludeUpdate(realGit, work.at)).toMatchObject({ why: 'missing' });
  });

  test('of a worktree with work that is not committed is refused, or that work is saved first', async () => {
    work.put('a', 'not committed\n');
    work.put('new', 'n\n');
    main.put('d', 'theirs\n');
    main.commit('theirs');
    expect(await update()).toMatchObject({ kind: 'refused', why: 'dirty', files: ['a', 'new'] });
    expect(await update(RESCUE)).toMatchObject({ kind: 'updated' });
    expect(work.git('show', `${RESCUE}:new`)).toBe('n');
    expect(folderPicture(work.at)).toMatchObject({ a: '- not committed\n', d: '- theirs\n', new: '- n\n' });
    main.put('a', 'theirs\n');
    main.commit('theirs too');
    const files = folderPicture(work.at);
    expect(await update(`${RESCUE}2`)).toMatchObject({ kind: 'refused', why: 'dirty', files: ['a'] });
    expect(folderPicture(work.at)).toEqual(files);
  });

  test('that a hook or a signature refuses leaves no merge under way', async () => {
    work.put('a', 'mine\n');
    const tip = work.commit('mine');
    main.put('d', 'theirs\n');
    main.commit('theirs');
    main.hook('pre-merge-commit', 'echo "not on Sundays" >&2; exit 1');
    const said = await update();
    expect(said).toMatchObject({ why: 'hook_refused', message: expect.stringContaining('Sundays') as string });
    rmSync(path.join(main.at, '.git/hooks/pre-merge-commit'));
    main.git('config', 'commit.gpgSign', 'true');
    main.git('config', 'gpg.program', '/bin/false');
    expect(await update()).toMatchObject({ why: 'signing_failed' });
    expect([work.git('rev-parse', 'HEAD'), work.git('status', '--porcelain')]).toEqual([tip, '']);
    expect(() => work.git('rev-parse', '-q', '--verify', 'MERGE_HEAD')).toThrow();
  });

  test('in conflict over a folder alone is taken back with the way on, and no hook is blamed', async () => {
    verifies('worktrees.update.guided');
    for (const name of ['one', 'two']) main.put(`old/${name}`, `${name} is long enough to be found again\n`);
    main.commit('folder');
    work.git('merge', '-q', 'main');
    for (const name of ['one', 'two']) {
      work.put(`new ${name}/${name}`, `${name} is long enough to be found again\n`);
      rmSync(path.join(work.at, 'old', name));
    }
    work.commit('two folders of one');
    main.put('old/three', 'theirs\n');
    main.commit('theirs');
    const [head, before] = [work.git('rev-parse', 'HEAD'), folderPicture(work.at)];
    expect(await update()).toEqual({
      kind: 'refused',
      why: 'conflict',
      files: [],
      message: expect.stringMatching(
        /^git can't decide in which folder some files belong: run `git merge --no-commit main` .*\nCONFLICT .*old/,
      ) as string,
    });
    expect([work.git('rev-parse', 'HEAD'), folderPicture(work.at)]).toEqual([head, before]);
    expect(() => work.git('merge', '--no-commit', 'main')).toThrow();
    const resolved = work.commit('Merge main');
    expect(work.git('rev-parse', 'HEAD^2')).toBe(main.git('rev-parse', 'main'));
    expect(await update()).toEqual({ kind: 'up_to_date', commit: resolved });
  });

  test('of what is not there is refused', async () => {
    work.git('checkout', '-q', '--detach');
    expect(await update()).toMatchObject({ why: 'branch_elsewhere' });
    work.git('checkout', '-q', 'work');
    const missing = { worktree: work.at, branch: 'work', base: 'none', snapshotRef: null };
    expect(await updateFromBase(realGit, missing)).toMatchObject({ why: 'missing' });
  });

  test('whatever the user has configured of merges', async () => {
    for (const options of ['--squash', '--no-commit', '--ff-only', '--no-ff --autostash']) {
      main.git('config', 'branch.work.mergeOptions', options);
      work.put(`mine ${options}`, 'x\n');
      work.commit('mine');
      main.put(`theirs ${options}`, 'x\n');
      main.commit('theirs');
      expect(await update()).toMatchObject({ kind: 'updated' });
      expect(work.git('status', '--porcelain')).toBe('');
      expect(work.git('merge-base', 'work', 'main')).toBe(main.git('rev-parse', 'main'));
    }
  });

  test('after a stash whose conflicts are not resolved is refused with the truth', async () => {
    work.put('a', 'stashed\n');
    work.git('stash', '-q');
    work.put('a', 'committed\n');
    const tip = work.commit('mine');
    expect(() => work.git('stash', 'pop')).toThrow();
    main.put('d', 'theirs\n');
    main.commit('theirs');
    for (const ref of [null, RESCUE]) {
      const said = await update(ref);
      expect(said).toMatchObject({ kind: 'refused', why: 'merge_under_way', files: ['a'] });
      expect(said).toMatchObject({ message: expect.stringContaining('stash') as string });
    }
    expect(work.git('rev-parse', 'HEAD')).toBe(tip);
    expect(() => work.git('rev-parse', '-q', '--verify', RESCUE)).toThrow();
  });
});

describe('ignored files of the worktree', () => {
  const env = (): string => readFileSync(path.join(work.at, '.env'), 'utf8');
  const ignore = (folder: GitFolder): void => {
    folder.put('.gitignore', '.env\ncache/\n');
    folder.commit('ignore');
  };

  test('that the base has committed are in the way, whether git could go forward or must merge', async () => {
    ignore(main);
    await update();
    work.put('.env', 'of the user\n');
    main.put('.env', 'of the base\n');
    main.git('add', '-f', '.env');
    main.commit('env');
    for (const message of [null, 'mine']) {
      if (message !== null) work.put('a', 'mine\n');
      const tip = message === null ? work.git('rev-parse', 'HEAD') : work.commit(message);
      for (const ref of [null, RESCUE])
        expect(await update(ref)).toMatchObject({ kind: 'refused', why: 'checkout_blocked', files: ['.env'] });
      expect([env(), work.git('rev-parse', 'HEAD')]).toEqual(['of the user\n', tip]);
    }
    rmSync(path.join(work.at, '.env'));
    expect(await update()).toMatchObject({ kind: 'updated' });
    expect(env()).toBe('of the base\n');
  });

  test('are all found, however many they are', async () => {
    const names = Array.from({ length: 501 }, (_, index) => `many/${String(index).padStart(3, '0')}`);
    for (const name of names) {
      main.put(name, 'theirs\n');
      work.put(name, 'of the user\n');
    }
    main.commit('many');
    expect(await update()).toMatchObject({ kind: 'refused', why: 'checkout_blocked', files: names });
  });

  test('in a folder that the base has made a file of', async () => {
    ignore(main);
    await update();
    work.put('a', 'mine\n');
    work.commit('mine');
    work.put('cache/x', 'of the user\n');
    main.put('.gitignore', '.env\n');
    main.put('cache', 'of the base\n');
    main.commit('cache');
    expect(await update()).toMatchObject({ kind: 'refused', why: 'checkout_blocked', files: ['cache/x'] });
    expect(readFileSync(path.join(work.at, 'cache/x'), 'utf8')).toBe('of the user\n');
  });

  test('that only the session keeps out of git, and tracked files that make place, are in nobody’s way', async () => {
    main.put('.env', 'of the base\n');
    main.put('e/f', 'f\n');
    main.commit('env');
    await update();
    work.git('rm', '-q', '--cached', '.env');
    ignore(work);
    work.git('rm', '-q', 'a');
    work.put('a/b', 'b\n');
    work.commit('folder');
    main.git('rm', '-q', 'b');
    main.git('rm', '-q', '-r', 'e');
    main.put('b/x', 'x\n');
    main.put('e', 'e\n');
    main.commit('theirs');
    expect(await update()).toMatchObject({ kind: 'updated' });
    expect(folderPicture(work.at)).toMatchObject({ '.env': '- of the base\n', 'b/x': '- x\n', e: '- e\n' });
  });
});

describe.skipIf(process.platform === 'win32')('a git that is killed amid an update', () => {
  /**
   * Adds, changes and removes files on the base. One new file is in a folder that replaces a file; another is the last
   * file that git writes.
   */
  function changeBase(): void {
    for (const name of ['a', 'c/x', 'new/deep/y', 'z.late']) {
      if (name === 'c/x') rmSync(path.join(main.at, 'c'));
      main.put(name, 'theirs\n');
    }
    rmSync(path.join(main.at, 'd'));
    main.commit('theirs');
  }

  test.each(['while it writes files', 'in a hook'])(
    '%s leaves the worktree as it was, without its lock',
    async (when) => {
      main.put('.gitattributes', '*.late filter=late\n');
      main.commit('attributes');
      expect(await update()).toMatchObject({ kind: 'updated' });
      changeBase();
      work.put('b', 'mine\n');
      work.commit('mine');
      work.put('b', 'not committed\n');
      work.put('a-note', 'not known\n');
      const before = folderPicture(work.at);
      if (when === 'in a hook') main.hook('pre-merge-commit', 'kill -9 $PPID');
      else main.git('config', 'filter.late.smudge', 'kill -9 $PPID');
      expect(await update(RESCUE)).toMatchObject({
        kind: 'refused',
        why: 'git_failed',
        message: 'git ended unexpectedly during the merge, and the worktree is unchanged',
      });
      expect(folderPicture(work.at)).toEqual(before);
      expect(work.git('status', '--porcelain')).toBe(' M b\n?? a-note');
      main.git('config', 'core.hooksPath', '/dev/null');
      if (when !== 'in a hook') main.git('config', '--unset', 'filter.late.smudge');
      expect(await update(`${RESCUE}1`)).toMatchObject({ kind: 'updated' });
      expect(work.git('status', '--porcelain')).toBe(' M b\n?? a-note');
    },
  );
});
