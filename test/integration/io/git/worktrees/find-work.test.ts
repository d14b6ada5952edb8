import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { processes } from '#io/process/process.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { addWorktree } from '#io/git/worktrees/add-worktree.ts';
import { findWork, type WorkQuestion } from '#io/git/worktrees/find-work.ts';
import { parseLsof, processesIn } from '#io/git/worktrees/processes-in.ts';
import type { SessionId } from '#protocol/id.ts';
import type { WorkFound } from '#protocol/worktree.ts';
import { newRepository, realGit, type Repository } from '../../../../support/git-repository.ts';

let repo: Repository;
let tree = '';
beforeEach(async () => {
  repo = await newRepository();
  repo.put('.gitignore', '*.log\n.env\nbuild/\n');
  repo.commit('Ignore');
  tree = repo.linkedWorktree('tree', 'feature');
});
afterEach(() => repo.end());

const asked = (more: Partial<WorkQuestion> = {}): WorkQuestion => ({
  repository: repo.root,
  worktree: tree,
  branch: 'feature',
  base: 'main',
  ignored: [],
  now: Date.now(),
  ...more,
});
const look = async (more?: Partial<WorkQuestion>): Promise<readonly WorkFound[]> =>
  (await findWork(realGit, processes, asked(more))).found;
const kinds = async (more?: Partial<WorkQuestion>): Promise<readonly string[]> =>
  (await look(more)).map(({ kind }) => kind);
const put = (name: string, text: string | Uint8Array): void => repo.put(name, text, tree);

test('a fresh worktree has nothing to lose', async () => {
  expect(await look()).toEqual([]);
});

describe('files', () => {
  test('staged, changed, untracked, removed, moved', async () => {
    put('new.txt', 'new\n');
    repo.git(['add', 'new.txt'], tree);
    put('a.txt', 'changed\n');
    put('un tracked ü\n.txt', 'x');
    renameSync(path.join(tree, 'src/b.txt'), path.join(tree, 'src/c.txt'));
    expect(await look()).toMatchObject([
      { kind: 'staged', items: ['new.txt'] },
      { kind: 'unstaged', items: ['a.txt', 'src/b.txt'] },
      { kind: 'untracked', items: ['src/c.txt', 'un tracked ü\n.txt'] },
    ]);
  });

  test("the user's settings of git status hide nothing", async () => {
    repo.git(['config', 'status.showUntrackedFiles', 'no']);
    put('new.txt', 'x');
    expect(await kinds()).toEqual(['untracked']);
  });

  test('a change of letters in a name only', async () => {
    repo.git(['mv', 'a.txt', 'A.txt'], tree);
    expect(await look()).toMatchObject([{ kind: 'staged', items: ['A.txt', 'a.txt'] }]);
  });

  test('changes hidden by assume-unchanged and skip-worktree; a mark alone is none', async () => {
    repo.git(['update-index', '--assume-unchanged', 'a.txt'], tree);
    repo.git(['update-index', '--skip-worktree', 'src/b.txt'], tree);
    expect(await look()).toEqual([]);
    put('a.txt', 'hidden\n');
    put('src/b.txt', 'hidden too\n');
    expect(repo.git(['status', '--porcelain'], tree)).toBe('');
    expect(await look()).toMatchObject([{ kind: 'hidden', items: ['a.txt', 'src/b.txt'] }]);
  });

  test('ignored files count by the globs that are given, and not when the main worktree has the same', async () => {
    put('x.log', 'x');
    put('.env', 'SECRET=1\n');
    put('build/out/y.bin', 'y');
    expect(await look()).toEqual([]);
    expect(await look({ ignored: ['.env', 'build/**'] })).toMatchObject([
      { kind: 'ignored', items: ['.env', 'build/out/y.bin'] },
    ]);
    repo.put('.env', 'SECRET=1\n');
    symlinkSync(path.join(repo.root, 'a.txt'), path.join(tree, 'build/link'));
    expect(await look({ ignored: ['.env', 'build/link'] })).toEqual([]);
    repo.put('.env', 'SECRET=2\n');
    expect(await kinds({ ignored: ['.env'] })).toEqual(['ignored']);
  });

  test('a repository that somebody cloned into it', async () => {
    mkdirSync(path.join(tree, 'nested'));
    repo.git(['init', '-q'], path.join(tree, 'nested'));
    repo.git(
      ['-c', 'user.name=n', '-c', 'user.email=n@e', 'commit', '-q', '--allow-empty', '-m', 'x'],
      path.join(tree, 'nested'),
    );
    expect(await look()).toMatchObject([{ kind: 'untracked', items: ['nested/'] }]);
  });

  test('CRLF attributes make no change, a sparse checkout neither', async () => {
    repo.put('.gitattributes', '*.txt text eol=crlf\n');
    repo.commit('Attributes');
    const other = repo.linkedWorktree('other', 'crlf');
    repo.git(['sparse-checkout', 'set', 'none'], other);
    expect(await look({ worktree: other, branch: 'crlf' })).toEqual([]);
  });
});

describe('commits', () => {
  const own = (): string => {
    put('f.txt', 'f\n');
    return repo.commit('Feature', tree);
  };

  test('a commit with no dirty file is work', async () => {
    const commit = own();
    expect(await look()).toMatchObject([{ kind: 'commits', count: 1, items: [commit] }]);
    expect((await look())[0]!.message).toBe('1 commit of "feature" is not in "main"');
  });

  test('that a remote has it is said', async () => {
    own();
    repo.git(['update-ref', 'refs/remotes/origin/feature', 'feature']);
    expect((await look())[0]!.message).toContain('a remote has them');
  });

  test('merged, picked, and squashed ones are none, also when the base has moved on over them', async () => {
    own();
    put('g.txt', 'g\n');
    repo.commit('More', tree);
    repo.put('other.txt', 'x');
    repo.commit('Main goes on');
    const before = repo.git(['rev-parse', 'HEAD']);
    for (const merge of [
      ['merge', '-q', '--no-edit', 'feature'],
      ['cherry-pick', '--allow-empty', 'main..feature'],
      ['merge', '-q', '--squash', 'feature'],
    ]) {
      repo.git(['reset', '-q', '--hard', before]);
      repo.git(merge);
      repo.commit('Merged');
      repo.put('f.txt', 'changed since\n');
      repo.commit('Over it');
      expect([merge.join(' '), await kinds()]).toEqual([merge.join(' '), []]);
    }
  });

  test('the state of a session that was held is none, and what was done beside it is', async () => {
    put('own.txt', 'x');
    repo.commit('Own', tree);
    put('.robo/session.json', '{}');
    repo.commit('Hold', tree);
    expect(await kinds()).toEqual(['commits']);
    repo.put('own.txt', 'x');
    repo.commit('Squash');
    expect(await look()).toEqual([]);
    put('more.txt', 'x');
    repo.commit('More', tree);
    expect(await look()).toMatchObject([{ kind: 'commits', count: 3 }]);
  });

  test('a squash is seen without an identity, and where commits are to be signed', async () => {
    own();
    repo.git(['merge', '-q', '--squash', 'feature']);
    repo.commit('Squashed');
    repo.put('f.txt', 'changed since\n');
    repo.commit('Over it');
    for (const [key, value] of [
      ['user.useConfigOnly', 'true'],
      ['commit.gpgsign', 'true'],
      ['gpg.program', 'false'],
    ] as const)
      repo.git(['config', key, value]);
    repo.git(['config', '--unset', 'user.name']);
    repo.git(['config', '--unset', 'user.email']);
    expect(await kinds()).toEqual([]);
  });

  test('a change that differs from one of the base in white space only is another one', async () => {
    const at = (indent: string): string => `def f(x):\n    if x:\n        g()\n${indent}return 1\n`;
    const [inner, outer] = [at('        '), at('    ')];
    repo.put('p.py', 'def f(x):\n    if x:\n        g()\n');
    repo.commit('Python');
    repo.git(['reset', '-q', '--hard', 'main'], tree);
    put('p.py', inner);
    repo.commit('Inner', tree);
    repo.put('p.py', outer);
    repo.commit('Outer');
    expect(await kinds()).toEqual(['commits']);
    put('other.txt', 'x');
    repo.commit('More', tree);
    repo.put('other.txt', 'x');
    repo.commit('More');
    expect(await kinds()).toEqual(['commits']);
    repo.put('p.py', inner);
    repo.commit('Inner after all');
    expect(await kinds()).toEqual([]);
  });

  test('changes that only differ in bytes that are no text', async () => {
    put('latin', Buffer.from('caf\xe9\n', 'latin1'));
    repo.commit('One', tree);
    repo.put('latin', Buffer.from('caf\xe8\n', 'latin1'));
    repo.commit('Another');
    expect(await kinds()).toEqual(['commits']);
  });

  test('half of it picked is not all of it', async () => {
    own();
    put('g.txt', 'g\n');
    repo.commit('More', tree);
    repo.git(['cherry-pick', 'feature~1']);
    expect(await kinds()).toEqual(['commits']);
  });

  test('work that is only in a merge commit, which `git cherry` does not look at', async () => {
    repo.put('other.txt', 'x');
    repo.commit('Main goes on');
    repo.git(['merge', '-q', '--no-ff', '--no-commit', 'main'], tree);
    put('only-in-the-merge.txt', 'x');
    repo.commit('Merge', tree);
    expect(await kinds()).toEqual(['commits']);
  });

  test('a base that is gone, or has no history in common', async () => {
    own();
    expect((await look({ base: 'gone' }))[0]!.message).toContain('"gone" no longer exists');
    repo.git(['checkout', '-q', '--orphan', 'fresh']);
    repo.commit('Fresh');
    expect(await kinds({ base: 'fresh' })).toEqual(['commits']);
  });

  test('a detached HEAD with a commit that no branch has', async () => {
    repo.git(['checkout', '-q', '--detach'], tree);
    expect(await look()).toEqual([]);
    const commit = own();
    expect(await look()).toMatchObject([{ kind: 'detached', items: [commit] }]);
    expect((await look())[0]!.message).toContain('`git switch -C feature` there keeps them');
    repo.git(['branch', 'kept'], tree);
    expect(await look()).toEqual([]);
  });

  test('a branch that was switched by hand', async () => {
    repo.git(['checkout', '-q', '-b', 'elsewhere'], tree);
    expect(await look()).toMatchObject([{ kind: 'branch_switched', items: ['elsewhere'] }]);
  });

  test('stashes of this branch, and of no other', async () => {
    repo.put('a.txt', 'main\n');
    repo.git(['stash', 'push', '-q', '-m', 'of main']);
    expect(await look()).toEqual([]);
    put('a.txt', 'wip\n');
    repo.git(['stash', 'push', '-q'], tree);
    put('a.txt', 'named\n');
    repo.git(['stash', 'push', '-q', '-m', 'named'], tree);
    expect(await look()).toMatchObject([{ kind: 'stash', count: 2 }]);
  });

  test('in a bare repository with worktrees, whose stashes git does not list without one', async () => {
    const repository = repo.at('bare');
    repo.git(['clone', '-q', '--bare', repo.root, repository]);
    const worktree = repo.at('of-bare');
    repo.git(['worktree', 'add', '-q', worktree, 'feature'], repository);
    expect(await look({ repository, worktree })).toEqual([]);
    repo.put('a.txt', 'wip\n', worktree);
    repo.git(['stash', 'push', '-q'], worktree);
    expect(await look({ repository, worktree })).toMatchObject([
      { kind: 'stash', items: [expect.stringMatching(/^stash@\{0\} WIP on feature:/)] },
    ]);
  });

  describe('in a submodule', () => {
    let lib: Repository;
    let inside = '';
    const own = (...args: readonly string[]): string =>
      repo.git(['-c', 'user.name=n', '-c', 'user.email=n@e', ...args], inside);
    const lone = (...args: readonly string[]): string => {
      own('checkout', '-q', '--detach');
      own('commit', '-q', '--allow-empty', '-m', 'Own');
      own(...args);
      own('checkout', '-q', 'origin/HEAD');
      return repo.git(['rev-parse', 'HEAD@{1}'], inside);
    };
    beforeEach(async () => {
      lib = await newRepository();
      repo.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.root, 'lib']);
      repo.commit('Sub');
      repo.git(['reset', '-q', '--hard', 'main'], tree);
      repo.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init'], tree);
      inside = path.join(tree, 'lib');
    });
    afterEach(() => lib.end());

    test('commits that no remote has', async () => {
      expect(await look()).toEqual([]);
      writeFileSync(path.join(inside, 'a.txt'), 'own\n');
      own('commit', '-qam', 'Own');
      expect(await kinds()).toEqual(['unstaged', 'submodule']);
    });

    test('a commit that only a local tag leads to', async () => {
      const commit = lone('tag', 'keep');
      expect(await look()).toMatchObject([{ kind: 'submodule', items: [commit] }]);
    });

    test('a stash', async () => {
      writeFileSync(path.join(inside, 'a.txt'), 'own\n');
      own('stash', '-q');
      expect(await kinds()).toEqual(['submodule']);
    });

    test('ignored files count as those beside it: by the globs, and not when that of the main worktree has the same', async () => {
      writeFileSync(path.join(own('rev-parse', '--absolute-git-dir'), 'info/exclude'), '.env\n*.log\n');
      put('lib/.env', 'SECRET=1\n');
      put('lib/x.log', 'x');
      expect(await look()).toEqual([]);
      expect(await look({ ignored: ['**/.env'] })).toMatchObject([{ kind: 'ignored', items: ['lib/.env'] }]);
      expect(await kinds({ ignored: ['lib/*.log'] })).toEqual(['ignored']);
      expect(await look({ ignored: ['.env', '!lib/**'] })).toEqual([]);
      repo.put('lib/.env', 'SECRET=1\n');
      expect(await look({ ignored: ['**/.env'] })).toEqual([]);
    });

    test('one that .gitmodules does not name', async () => {
      lone('tag', 'keep');
      repo.git(['rm', '-q', '--cached', '.gitmodules'], tree);
      repo.git(['commit', '-q', '-m', 'Without a name'], tree);
      repo.git(['merge', '-q', 'feature']);
      rmSync(path.join(tree, '.gitmodules'));
      expect(await kinds()).toEqual(['submodule']);
    });

    test('its folder is gone: what git keeps of it is forgotten with it', async () => {
      const commit = lone('tag', 'keep');
      rmSync(tree, { recursive: true });
      expect(await look()).toMatchObject([{ kind: 'submodule', items: [commit] }]);
      repo.git(['worktree', 'lock', '--reason', 'robosmith s00000001', tree]);
      const again = await addWorktree(realGit, {
        repository: repo.root,
        path: tree,
        branch: 'feature',
        start: { kind: 'attach' },
        sparse: [],
        session: 's00000001' as SessionId,
      });
      expect(again).toMatchObject({ kind: 'refused', why: 'path_registered', leftovers: [] });
      expect(repo.git(['worktree', 'list'])).toContain(tree);
    });

    test('one in a submodule, and one that is no longer checked out', async () => {
      const outer = inside;
      repo.git(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib.root, 'deep'], outer);
      own('commit', '-qm', 'Deep');
      own('push', '-q', 'origin', 'HEAD:refs/heads/deep');
      repo.commit('Lib', tree);
      repo.git(['merge', '-q', 'feature']);
      expect(await look()).toEqual([]);
      inside = path.join(outer, 'deep');
      lone('tag', 'keep');
      expect(await look()).toMatchObject([
        { kind: 'submodule', message: expect.stringContaining('submodule lib/deep has') as string },
      ]);
      repo.git(['rm', '-q', '-f', 'lib'], tree);
      repo.commit('Without', tree);
      repo.git(['merge', '-q', 'feature']);
      expect(await look()).toMatchObject([
        { kind: 'submodule', message: expect.stringContaining('modules/lib/modules/deep has') as string },
      ]);
    });
  });
});

test('whichever git command does not answer: all is found, or it is said that nobody knows', async () => {
  put('own.txt', 'x');
  repo.commit('Feature', tree);
  put('a.txt', 'stashed\n');
  repo.git(['stash', 'push', '-q'], tree);
  repo.git(['checkout', '-q', '--detach'], tree);
  put('lost.txt', 'x');
  repo.commit('Detached', tree);
  repo.git(['update-index', '--assume-unchanged', 'a.txt'], tree);
  put('a.txt', 'hidden\n');
  put('x.log', 'ignored');
  const question = asked({ ignored: ['*.log'], now: 0 });
  const all = ['hidden', 'ignored', 'detached', 'commits', 'stash'];
  const MOST = 60;
  let number = 0;
  for (let isOver = false; !isOver && number < MOST;) {
    number++;
    let count = 0;
    const git: Git = (...call) =>
      ++count === number
        ? Promise.resolve({ ok: false, code: number % 2 ? 128 : null, out: '', err: '' })
        : realGit(...call);
    const found = (await findWork(git, processes, question)).found.map(({ kind }) => kind);
    isOver = count < number;
    if (isOver) expect(found).toEqual(all);
    else expect([number, found]).toEqual([number, expect.arrayContaining(['unreadable'])]);
  }
  expect(number).toBeGreaterThan(15);
  expect(number).toBeLessThan(MOST);
});

describe('its condition', () => {
  const clash = (): void => {
    put('a.txt', 'feature\n');
    repo.commit('Feature', tree);
    repo.put('a.txt', 'main\n');
    repo.commit('Main');
  };

  test.each([
    ['merge', ['merge', '-q', 'main']],
    ['rebase', ['rebase', '-q', 'main']],
    ['cherry-pick', ['cherry-pick', 'main']],
    ['revert', ['revert', '--no-edit', 'HEAD~1']],
  ])('a half %s', async (operation, command) => {
    clash();
    if (operation === 'revert') {
      put('a.txt', 'once more\n');
      repo.commit('Once more', tree);
    }
    repo.tryGit(command, tree);
    const found = await look();
    expect(found.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['conflicted', 'under_way']));
    expect(found.find(({ kind }) => kind === 'under_way')!.message).toContain(`git ${operation} --abort`);
  });

  test('rerere resolves it, but it is still under way', async () => {
    repo.git(['config', 'rerere.enabled', 'true']);
    clash();
    repo.tryGit(['merge', '-q', 'main'], tree);
    put('a.txt', 'both\n');
    repo.git(['add', 'a.txt'], tree);
    repo.git(['rerere'], tree);
    repo.git(['merge', '--abort'], tree);
    repo.git(['config', 'rerere.autoUpdate', 'true']);
    repo.tryGit(['merge', '-q', 'main'], tree);
    expect(await kinds()).toEqual(['staged', 'commits', 'under_way']);
  });

  test('locked by somebody, and by a session', async () => {
    repo.git(['worktree', 'lock', '--reason', 'robosmith s00000001', tree]);
    expect(await look()).toEqual([]);
    repo.git(['worktree', 'unlock', tree]);
    repo.git(['worktree', 'lock', tree]);
    expect(await look()).toMatchObject([
      { kind: 'locked', message: expect.stringContaining('git worktree unlock') as string },
    ]);
  });

  test('an index.lock that was left behind', async () => {
    writeFileSync(path.join(repo.root, '.git/worktrees/tree/index.lock'), '');
    expect(await kinds()).toEqual(['locked_by_git']);
  });

  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('read-only', async () => {
    chmodSync(tree, 0o555);
    expect(await kinds().finally(() => chmodSync(tree, 0o755))).toEqual(['read_only']);
  });

  test('a .git file that leads nowhere: nothing is guessed', async () => {
    put('precious.txt', 'x');
    writeFileSync(path.join(tree, '.git'), 'gitdir: /nowhere\n');
    expect(await kinds()).toEqual(['unreadable']);
    rmSync(path.join(tree, '.git'));
    expect(await kinds()).toEqual(['unreadable']);
  });

  test('a broken index: nothing is guessed', async () => {
    writeFileSync(path.join(repo.root, '.git/worktrees/tree/index'), 'garbage');
    expect(await kinds()).toEqual(['unreadable']);
  });

  test('its folder is gone: the commits of its branch still count', async () => {
    put('f.txt', 'f\n');
    repo.commit('Feature', tree);
    rmSync(tree, { recursive: true });
    expect(await kinds()).toEqual(['commits']);
  });
});

describe.skipIf(process.platform === 'win32')('processes', () => {
  test('one that works below it, and none beside it', async () => {
    mkdirSync(path.join(tree, 'build'));
    mkdirSync(`${tree}-2`);
    const start = (cwd: string) => spawn('sleep', ['600'], { cwd, stdio: 'ignore' });
    const [inside, beside] = [start(path.join(tree, 'build')), start(`${tree}-2`)];
    await Promise.all([once(inside, 'spawn'), once(beside, 'spawn')]);
    try {
      expect(await look()).toMatchObject([{ kind: 'processes', items: [`sleep (${inside.pid})`] }]);
      expect(await processesIn(processes, tree, 'win32')).toBe(null);
    } finally {
      for (const child of [inside, beside]) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    expect(await look()).toEqual([]);
  });

  test('what lsof prints', () => {
    const text = `p${process.pid}\ncnode\nfcwd\nn/w/tree\np12\ncvim\nfcwd\nn/w/tree/src\np13\ncsh\nfcwd\nn/w/tree-2\n`;
    expect(parseLsof(text, '/w/tree')).toEqual([{ pid: 12, name: 'vim' }]);
  });
});
