import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discardSession, type DiscardResult, type DiscardRequest } from '#io/git/outcomes/discard-session.ts';
import { listKept, pruneKept } from '#io/git/outcomes/prune-kept.ts';
import { restoreSession } from '#io/git/outcomes/restore-session.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { DISCARDED } from '#io/git/plumbing/kept-refs.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { folderPicture } from '../../../../support/folder-picture.ts';
import { gitFolder, type GitFolder, newRepository, realGit } from '../../../../support/git-folder.ts';
import { killedAfter } from '../../../../support/killed-git.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let main: GitFolder;
let work: GitFolder;
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({ a: 'a\n', '.gitignore': 'ignored\n' }));
});
afterEach(() => removeFolder(base));

const REF = 'refs/robosmith/discarded/s1';

const discard = (more: Partial<DiscardRequest> = {}, git = realGit): Promise<DiscardResult> =>
  discardSession(git, { repository: main.at, session: 's1', branch: 'work', worktree: work.at, ...more });

const restore = (more: { ref?: string; branch?: string; worktree?: string | null } = {}, git = realGit) =>
  restoreSession(git, { repository: main.at, ref: REF, branch: 'work', worktree: work.at, ...more });

const branches = (): string => main.git('for-each-ref', '--format=%(refname:short)', 'refs/heads');

/** Returns a wrapper of git that calls `act` after each update of a ref. */
const afterEachRef =
  (act: () => void): Git =>
  async (folder, args, options) => {
    const answer = await realGit(folder, args, options);
    if (args.includes('update-ref')) act();
    return answer;
  };

async function kept(more: Partial<DiscardRequest> = {}): Promise<DiscardResult> {
  const before = [main.git('for-each-ref'), folderPicture(work.at), main.git('worktree', 'list', '--porcelain')];
  const discarded = await discard(more);
  expect(discarded.kind).toBe('refused');
  expect([main.git('for-each-ref'), folderPicture(work.at), main.git('worktree', 'list', '--porcelain')]).toEqual(
    before,
  );
  return discarded;
}

describe('discarded', () => {
  test('worktree and branch are gone, and come back with all that was not committed', async () => {
    verifies('worktrees.discard.recovery');
    work.put('a', 'committed\n');
    const tip = work.commit('work');
    work.put('a', 'staged\n');
    work.git('add', 'a');
    work.put('a', 'edited\n');
    work.put('untracked/x', 'x\n');
    const [files, status] = [folderPicture(work.at), work.git('status', '--porcelain=v2')];
    const done = await discard();
    expect(done).toEqual({ kind: 'discarded', ref: REF, commit: main.git('rev-parse', REF), tip, leftovers: [] });
    expect(existsSync(work.at)).toBe(false);
    expect(branches()).toBe('main');
    expect(await restore()).toEqual({ kind: 'restored', tip });
    expect(folderPicture(work.at)).toEqual(files);
    expect(work.git('status', '--porcelain=v2')).toBe(status);
    expect(main.git('for-each-ref', 'refs/robosmith/discarded')).toBe('');
  });

  test('a clean one too; its branch alone can come back, under another name', async () => {
    const tip = work.commit('work');
    expect(await discard()).toMatchObject({ kind: 'discarded', tip });
    expect(main.git('rev-parse', `${REF}^1`)).toBe(tip);
    expect(await restore({ branch: 'again', worktree: null })).toEqual({ kind: 'restored', tip });
    expect(branches()).toBe('again\nmain');
    expect(await restore({ branch: 'main' })).toMatchObject({ why: 'ref_taken' });
    expect(await restore()).toEqual({ kind: 'restored', tip });
    expect(work.git('status', '--porcelain')).toBe('');
    expect(await restore()).toMatchObject({ why: 'missing' });
  });

  test('an attached branch stays, and one whose worktree is gone', async () => {
    const tip = work.commit('work');
    work.put('x', 'x\n');
    expect(await discard({ keepBranch: true })).toMatchObject({ kind: 'discarded', tip });
    expect(branches()).toBe('main\nwork');
    expect(main.git('show', `${REF}:x`)).toBe('x');
    expect(await discard({ session: 's2' })).toMatchObject({ kind: 'discarded', tip });
    expect(branches()).toBe('main');
  });

  test('a second time under the same name keeps both, and what was discarded last comes back', async () => {
    const first = work.commit('first');
    expect(await discard()).toMatchObject({ ref: REF });
    main.git('worktree', 'add', '-q', '-b', 'work', work.at);
    const second = work.commit('second');
    const again = await discard();
    expect(again).toMatchObject({ kind: 'discarded', tip: second });
    expect(main.git('for-each-ref', '--format=%(refname)', `${REF}-*`).split('\n')).toHaveLength(1);
    const beside = main.git('for-each-ref', '--format=%(refname)', `${REF}-*`);
    expect(main.git('rev-parse', `${beside}^1`)).toBe(first);
    expect(await restore()).toEqual({ kind: 'restored', tip: second });
  });

  test('a second time, cut off anywhere, goes on', async () => {
    await discard();
    main.git('worktree', 'add', '-q', '-b', 'work', work.at);
    const second = work.commit('second');
    for (let last = 1; existsSync(work.at) || branches() !== 'main'; last += 1) {
      expect(last).toBeLessThan(60);
      await discard({}, killedAfter(last)).catch(() => undefined);
    }
    expect(await restore()).toEqual({ kind: 'restored', tip: second });
  });

  /**
   * A fake git that unregisters a worktree but can't delete its folder, as on Windows while a program has files open in
   * it.
   */
  const inUse: Git = async (folder, args, options) => {
    if (!args.includes('remove')) return realGit(folder, args, options);
    await realGit(folder, args, options);
    work.put('in use', 'x\n');
    return { ok: false, code: 255, out: '', err: "error: failed to delete 'w': Device or resource busy" };
  };

  test('a folder that git could not delete is told, and what it has forgotten is discarded all the same', async () => {
    verifies('worktrees.nothing-lost');
    work.put('a', 'edited\n');
    const leftovers = [expect.stringMatching(/still exists, .*delete the folder yourself/) as string];
    expect(await discard({}, inUse)).toMatchObject({ kind: 'discarded', leftovers: leftovers });
    expect([branches(), main.git('show', `${REF}:a`)]).toEqual(['main', 'edited']);
  });

  test('a branch that could not be deleted is told, and the worktree is discarded all the same', async () => {
    work.put('a', 'edited\n');
    main.put('.git/refs/heads/work.lock', '');
    const leftovers = [expect.stringMatching(/the branch work still exists.*git branch -D work/) as string];
    expect(await discard()).toMatchObject({ kind: 'discarded', leftovers: leftovers });
    rmSync(path.join(main.at, '.git/refs/heads/work.lock'));
    expect(await restore()).toMatchObject({ kind: 'restored' });
    expect(readFileSync(path.join(work.at, 'a'), 'utf8')).toBe('edited\n');
  });

  test('one whose branch has other commits by now comes back once that has another name, as it is told', async () => {
    const tip = work.commit('work');
    await discard({ keepBranch: true });
    main.git('update-ref', 'refs/heads/work', main.git('commit-tree', '-p', tip, '-m', 'on', `${tip}^{tree}`));
    const next = 'git branch -m work <name>';
    expect(await restore()).toMatchObject({ why: 'ref_taken', message: expect.stringContaining(next) as string });
    main.git('branch', '-m', 'work', 'theirs');
    expect(await restore()).toEqual({ kind: 'restored', tip });
  });

  test('cut off anywhere it goes on, and keeps all', async () => {
    work.put('a', 'edited\n');
    const tip = work.git('rev-parse', 'HEAD');
    for (let last = 1; existsSync(work.at) || branches() !== 'main'; last += 1) {
      expect(last).toBeLessThan(60);
      await discard({}, killedAfter(last)).catch(() => undefined);
    }
    expect(main.git('show', `${REF}:a`)).toBe('edited');
    expect(main.git('rev-parse', `${REF}^1`)).toBe(tip);
    expect(await restore()).toMatchObject({ kind: 'restored' });
    expect(readFileSync(path.join(work.at, 'a'), 'utf8')).toBe('edited\n');
  });

  test('what is written while others are waited for, or while it is kept, is kept too', async () => {
    work.put('early', 'x\n');
    const serialise = async <Value>(run: () => Promise<Value>): Promise<Value> => {
      work.put('waiting', 'x\n');
      return run();
    };
    let committed = '';
    const busy = afterEachRef(() => {
      if (committed !== '') return;
      committed = work.commit('late');
      work.put('later', 'x\n');
    });
    const discarded = await discard({ serialise }, busy);
    expect(discarded).toMatchObject({ kind: 'discarded', ref: REF, tip: committed });
    expect(main.git('ls-tree', '--name-only', REF)).toBe('.gitignore\na\nearly\nlater\nwaiting');
    expect(main.git('rev-parse', `${REF}^1`)).toBe(committed);
    expect(branches()).toBe('main');
    expect(existsSync(work.at)).toBe(false);
  });

  test('without hooks', async () => {
    for (const name of ['reference-transaction', 'post-checkout', 'pre-commit']) main.hook(name, 'exit 1');
    work.put('a', 'x\n');
    expect(await discard()).toMatchObject({ kind: 'discarded' });
    expect(await restore()).toMatchObject({ kind: 'restored' });
  });
});

describe('refused, and nothing is removed', () => {
  test('the main checkout, a folder that is no worktree, a locked worktree, no branch', async () => {
    expect(await kept({ worktree: main.at, branch: 'main' })).toMatchObject({ why: 'work_not_saved' });
    mkdirSync(path.join(base, 'other'));
    expect(await kept({ worktree: path.join(base, 'other') })).toMatchObject({ why: 'missing' });
    expect(await kept({ worktree: null, branch: 'none' })).toMatchObject({ why: 'missing' });
    main.git('worktree', 'lock', '--reason', 'on a stick', work.at);
    const said = await kept();
    expect(said).toMatchObject({ why: 'worktree_locked', message: expect.stringContaining('on a stick') as string });
  });

  test('a branch that is checked out elsewhere', async () => {
    main.git('worktree', 'add', '-q', '--force', path.join(base, 'w2'), 'work');
    expect(await kept()).toMatchObject({ why: 'branch_elsewhere' });
  });

  test('a repository inside, and a submodule with work of its own', async () => {
    verifies('worktrees.discard.doubt');
    newRepository(path.join(work.at, 'inner')).commit('i');
    expect(await kept()).toMatchObject({ why: 'work_not_saved', files: ['inner/'] });
    rmSync(path.join(work.at, 'inner'), { recursive: true });
    const library = newRepository(path.join(base, 'library'));
    library.put('l', 'l\n');
    library.commit('l');
    work.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library.at, 'deep/sub');
    work.commit('sub');
    const sub = gitFolder(path.join(work.at, 'deep/sub'));
    sub.put('untracked', 'x\n');
    expect(await kept()).toMatchObject({ why: 'work_not_saved', files: ['deep/sub'] });
    sub.commit('only here');
    expect(await kept()).toMatchObject({ why: 'work_not_saved', files: ['deep/sub'] });
    sub.git('reset', '-q', '--hard', 'origin/main');
    writeFileSync(path.join(sub.git('rev-parse', '--absolute-git-dir'), 'info/exclude'), '.env\n*.log\n');
    sub.put('.env', 'SECRET=1\n');
    sub.put('x.log', 'x\n');
    expect(await kept({ ignored: ['**/.env'] })).toMatchObject({ why: 'work_not_saved', files: ['deep/sub/.env'] });
    expect(await discard()).toMatchObject({ kind: 'discarded' });
  });

  test('a folder that is gone, where git still has commits of a submodule that nobody else has', async () => {
    verifies('worktrees.nothing-lost');
    const library = newRepository(path.join(base, 'library'));
    library.commit('l');
    work.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library.at, 'sub');
    work.commit('sub');
    const sub = gitFolder(path.join(work.at, 'sub'));
    const only = sub.commit('only here');
    rmSync(work.at, { recursive: true });
    const at = path.join(main.at, '.git/worktrees', path.basename(work.at), 'modules/sub');
    expect(await discard()).toMatchObject({ kind: 'refused', why: 'work_not_saved', files: [at] });
    main.git(`--git-dir=${at}`, `--work-tree=${at}`, 'push', '-q', 'origin', `${only}:refs/heads/kept`);
    expect(await discard()).toMatchObject({ kind: 'discarded' });
  });

  test('files that never rest, and what git cannot keep that came meanwhile', async () => {
    let count = 0;
    const always = afterEachRef(() => work.put('log', `${(count += 1)}\n`));
    const refs = main.git('for-each-ref');
    expect(await discard({}, always)).toMatchObject({ kind: 'refused', why: 'work_not_saved' });
    expect([main.git('for-each-ref'), existsSync(path.join(work.at, 'log'))]).toEqual([refs, true]);
    main.git('update-ref', REF, 'main');
    const before = main.git('for-each-ref');
    expect(await discard({}, always)).toMatchObject({ kind: 'refused', why: 'work_not_saved' });
    expect(main.git('for-each-ref')).toBe(before);
    main.git('update-ref', '-d', REF);
    const inner = afterEachRef(() => void newRepository(path.join(work.at, 'inner')).commit('i'));
    expect(await discard({}, inner)).toMatchObject({ kind: 'refused', why: 'work_not_saved', files: ['inner/'] });
    expect([main.git('for-each-ref'), existsSync(path.join(work.at, 'inner'))]).toEqual([refs, true]);
  });

  test('a lock on the branch that a killed git has left: all is kept, and told', async () => {
    mkdirSync(path.join(main.at, '.git/refs/robosmith/discarded'), { recursive: true });
    main.put('.git/refs/robosmith/discarded/s1.lock', '');
    expect(await kept()).toMatchObject({ why: 'locked_by_git' });
  });
});

describe('a restore that was cut off', () => {
  test('anywhere goes on, and brings all back', async () => {
    work.put('a', 'staged\n');
    work.git('add', 'a');
    work.put('a', 'edited\n');
    work.put('untracked/x', 'x\n');
    const [files, status] = [folderPicture(work.at), work.git('status', '--porcelain=v2')];
    await discard();
    let end = '';
    for (let last = 1; end !== 'restored'; last += 1) {
      expect(last).toBeLessThan(60);
      end = await restore({}, killedAfter(last)).then(
        (restored) => (restored.kind === 'refused' ? restored.message : restored.kind),
        () => 'killed',
      );
      expect(['killed', 'restored']).toContain(end);
    }
    expect(folderPicture(work.at)).toEqual(files);
    expect(work.git('status', '--porcelain=v2')).toBe(status);
    expect(main.git('for-each-ref', 'refs/robosmith/discarded')).toBe('');
  });

  test('by a full disk leaves no parts of files, so that the next one brings all back', async () => {
    work.put('a', 'edited\n');
    work.put('untracked/x', 'x\n');
    const files = folderPicture(work.at);
    await discard();
    const full: Git = async (folder, args, options) => {
      if (!args.includes('-u')) return realGit(folder, args, options);
      work.put('a', 'edi');
      return { ok: false, code: 128, out: '', err: 'error: unable to write file a: No space left on device\n' };
    };
    expect(await restore({}, full)).toMatchObject({ kind: 'refused', why: 'disk_full' });
    expect([existsSync(work.at), main.git('worktree', 'list').split('\n').length]).toEqual([false, 1]);
    expect(await restore()).toMatchObject({ kind: 'restored' });
    expect(folderPicture(work.at)).toEqual(files);
  });

  test('and whose worktree somebody works in is set aside by the commands that are named', async () => {
    work.put('a', 'kept\n');
    await discard();
    main.git('worktree', 'add', '-q', '--lock', '-b', 'work', work.at);
    work.put('a', 'new work\n');
    const refused = await restore();
    const message = refused.kind === 'refused' ? refused.message : '';
    const commands = [...message.matchAll(/`git ([^`]+)`/g)].map(([, command = '']) => command);
    expect(commands).toHaveLength(2);
    for (const command of commands) {
      const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
      main.git(...args.map((arg) => (arg === '<folder>' ? path.join(base, 'aside') : arg)));
    }
    expect(await restore()).toMatchObject({ kind: 'restored' });
    expect(readFileSync(path.join(work.at, 'a'), 'utf8')).toBe('kept\n');
    expect(readFileSync(path.join(base, 'aside', 'a'), 'utf8')).toBe('new work\n');
  });

  test('and whose worktree somebody works in again is refused, and leaves that work as it is', async () => {
    work.put('a', 'kept\n');
    await discard();
    main.git('worktree', 'add', '-q', '-b', 'work', work.at);
    work.put('a', 'new work\n');
    expect(await restore()).toMatchObject({ kind: 'refused', why: 'work_not_saved' });
    expect(readFileSync(path.join(work.at, 'a'), 'utf8')).toBe('new work\n');
    work.git('checkout', '-q', 'a');
    work.git('checkout', '-q', '--detach');
    expect(await restore()).toMatchObject({ kind: 'refused' });
    work.git('checkout', '-q', 'work');
    expect(await restore()).toMatchObject({ kind: 'restored' });
    expect(readFileSync(path.join(work.at, 'a'), 'utf8')).toBe('kept\n');
  });
});

test('what was discarded is listed with its time, and pruned as it was listed alone', async () => {
  await discard();
  const listed = await listKept(realGit, main.at, [DISCARDED]);
  const [kept] = 'kind' in listed ? [] : listed;
  if (kept === undefined) throw new Error('nothing is kept');
  const seconds = Number(main.git('log', '-1', '--format=%ct', REF));
  expect(kept).toEqual({
    ref: REF,
    commit: main.git('rev-parse', REF),
    at: seconds * 1000,
    subject: 'robosmith: discarded',
  });
  const other = main.git('rev-parse', 'main');
  expect(await pruneKept(realGit, main.at, { ...kept, commit: other })).toMatchObject({ kind: 'refused' });
  expect(main.git('rev-parse', REF)).toBe(kept.commit);
  expect(await pruneKept(realGit, main.at, kept)).toBeNull();
  expect(await listKept(realGit, main.at, [DISCARDED])).toEqual([]);
});
