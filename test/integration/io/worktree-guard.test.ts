import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileCalls } from '#io/files/file-calls.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { createProcesses } from '#io/process/process.ts';
import { createWorktreeGuard } from '#io/git/guard/worktree-guard.ts';
import type { GuardReport, WorktreeGuard } from '#protocol/agent.ts';
import type { Access } from '#protocol/graph.ts';
import { accessCheck } from '#workers/index.ts';
import { verifies } from '../../e2e/verifies.ts';
import { readOverlaps, writeOverlaps } from '../../../src/engine/sessions/watching/overlap-store.ts';
import { newFolder, removeFolder } from '../../support/in-folder.ts';

let base = '';
let root = '';
let guard: WorktreeGuard;
const at = (name: string): string => path.join(root, name);
const put = (name: string, text: string | Uint8Array): void => {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
};
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.org', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

const makeGuard = (): WorktreeGuard =>
  createWorktreeGuard({
    folder: path.join(base, '.flow'),
    git: createGit(createProcesses()),
    newId: () => 'abcdef',
    allows: (access, ignoresCase) => {
      const check = accessCheck(access, 'program', ignoresCase);
      return (name) => check(name, name) === null;
    },
  });

beforeEach(async () => {
  base = await newFolder();
  root = path.join(base, 'work');
  mkdirSync(root);
  git('init', '-q', '-b', 'main');
  put('src/a.txt', 'a\n');
  put('src/b.txt', 'b\n');
  put('lib/l.txt', 'l\n');
  put('lib/run.sh', '#!/bin/sh\n');
  chmodSync(at('lib/run.sh'), 0o755);
  put('.gitignore', 'ignored/\n.env\n');
  symlinkSync('l.txt', at('lib/link'));
  git('add', '-A');
  git('commit', '-qm', 'one');
  // The user's uncommitted work: a changed, an untracked, an ignored and a staged file, one of which is not text.
  put('lib/l.txt', 'l, as the user left it\r\n');
  put('notes.bin', Uint8Array.from([0, 255, 13, 10, 128]));
  put('.env', 'SECRET=1\n');
  put('ignored/cache.txt', 'cached\n');
  put('staged.txt', 'staged\n');
  git('add', 'staged.txt');
  guard = makeGuard();
});
afterEach(() => removeFolder(base));

/** Returns everything below a folder by name: kind, permissions and content. */
function picture(folder: string, prefix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder).sort()) {
    const file = path.join(folder, name);
    const key = `${prefix}${name}`;
    if (key === '.git') continue;
    const stat = lstatSync(file);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) found[key] = `link ${readlinkSync(file)}`;
    else if (stat.isDirectory()) Object.assign(found, { [key]: `folder ${mode}` }, picture(file, `${key}/`));
    else found[key] = `file ${mode} ${readFileSync(file).toString('latin1')}`;
  }
  return found;
}

const SRC: Access = { mode: 'partial', paths: ['src/**'] };

async function after(change: () => void, access: Access = SRC): Promise<GuardReport> {
  const watch = await guard.watch('step', root, access);
  change();
  return watch.end();
}

const paths = ({ trespasses }: GuardReport): readonly string[] =>
  trespasses.map(({ path: name, what }) => `${what} ${name}`);

describe('what lies outside of the access is put back, byte for byte', () => {
  test.each<[string, () => void, readonly string[]]>([
    ['a tracked file with changes of the user', () => put('lib/l.txt', 'mine now'), ['changed lib/l.txt']],
    ['an untracked file', () => put('notes.bin', 'x'), ['changed notes.bin']],
    ['an ignored file', () => put('.env', 'SECRET=2\n'), ['changed .env']],
    ['a removal', () => rmSync(at('ignored'), { recursive: true }), ['removed ignored/cache.txt']],
    [
      'a removal of all',
      () => {
        for (const name of readdirSync(root))
          if (name !== '.git' && name !== 'src') rmSync(at(name), { recursive: true });
      },
      [
        'removed .env',
        'removed .gitignore',
        'removed ignored/cache.txt',
        'removed lib/l.txt',
        'removed lib/link',
        'removed lib/run.sh',
        'removed notes.bin',
        'removed staged.txt',
      ],
    ],
    ['a rename', () => renameSync(at('lib/l.txt'), at('lib/m.txt')), ['removed lib/l.txt', 'added lib/m.txt']],
    ['a rename into what it may write', () => renameSync(at('notes.bin'), at('src/notes.bin')), ['removed notes.bin']],
    ['a new file', () => put('new/deep/x.txt', 'x'), ['added new/deep/x.txt']],
    ['an empty folder, which is removed without a word', () => mkdirSync(at('empty')), []],
    ['a right', () => chmodSync(at('lib/l.txt'), 0o777), ['mode lib/l.txt']],
    ['a right of a folder', () => chmodSync(at('lib'), 0o700), ['mode lib']],
    [
      'a link to elsewhere',
      () => {
        rmSync(at('lib/link'));
        symlinkSync('/etc/passwd', at('lib/link'));
      },
      ['changed lib/link'],
    ],
    [
      'a file that became a link',
      () => {
        rmSync(at('notes.bin'));
        symlinkSync('src/a.txt', at('notes.bin'));
      },
      ['changed notes.bin'],
    ],
    [
      'a folder that became a link',
      () => {
        renameSync(at('lib'), at('src/lib'));
        symlinkSync('src/lib', at('lib'));
      },
      ['changed lib', 'removed lib/l.txt', 'removed lib/link', 'removed lib/run.sh'],
    ],
    [
      'a folder that became a file',
      () => {
        rmSync(at('ignored'), { recursive: true });
        put('ignored', 'x');
      },
      ['changed ignored', 'removed ignored/cache.txt'],
    ],
    [
      'a file that became a folder',
      () => {
        rmSync(at('notes.bin'));
        put('notes.bin/x', 'x');
      },
      ['changed notes.bin', 'added notes.bin/x'],
    ],
    [
      'what was written through a link in what it may write',
      () => {
        symlinkSync('../lib/l.txt', at('src/way'));
        writeFileSync(at('src/way'), 'through');
        rmSync(at('src/way'));
      },
      ['changed lib/l.txt'],
    ],
    [
      'what was written through a second name',
      () => {
        linkSync(at('notes.bin'), at('src/second'));
        writeFileSync(at('src/second'), 'through');
        rmSync(at('src/second'));
      },
      ['changed notes.bin'],
    ],
    ['the manifest', () => put('.vision/workflows.json', '{}'), ['added .vision/workflows.json']],
  ])('%s', async (_name, change, expected) => {
    verifies('workers.ai.agent-access');
    const before = picture(root);
    const report = await after(change);
    expect(paths(report)).toEqual(expected);
    expect(report.trespasses.every(({ restored }) => restored)).toBe(true);
    const isNew = (name: string): boolean => name.startsWith('src/') && before[name] === undefined;
    const now = Object.fromEntries(Object.entries(picture(root)).filter(([name]) => !isNew(name)));
    expect(now).toEqual(before);
    expect(readdirSync(path.join(base, '.flow', 'guards'))).toEqual([]);
  });

  test('what it wrote there is kept', async () => {
    const report = await after(() => {
      put('lib/l.txt', 'work of an hour');
      put('new/x.txt', 'more of it');
    });
    const rescue = path.join(base, report.rescued ?? '');
    expect(readFileSync(path.join(rescue, 'lib/l.txt'), 'utf8')).toBe('work of an hour');
    expect(readFileSync(path.join(rescue, 'new/x.txt'), 'utf8')).toBe('more of it');
  });

  test('a name that is no UTF-8', async () => {
    const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x61, 0xff, 0x62])]);
    writeFileSync(odd, 'odd');
    const report = await after(() => writeFileSync(odd, 'changed'));
    expect(report.trespasses).toMatchObject([{ what: 'changed', restored: true }]);
    expect(readFileSync(odd, 'utf8')).toBe('odd');
  });
});

describe('what it may change stays', () => {
  test('and is told', async () => {
    const report = await after(() => {
      put('src/a.txt', 'fixed');
      put('src/deep/new.txt', 'n');
      rmSync(at('src/b.txt'));
    });
    expect(report).toEqual({
      changed: ['src/a.txt', 'src/b.txt', 'src/deep/new.txt'],
      trespasses: [],
      rescued: null,
      unclear: [],
    });
    expect(readFileSync(at('src/a.txt'), 'utf8')).toBe('fixed');
  });

  test('also in a folder that is made for it', async () => {
    const report = await after(() => put('pkg/one/ok.txt', 'o'), { mode: 'partial', paths: ['pkg/*/ok.txt'] });
    expect(report).toMatchObject({ changed: ['pkg/one/ok.txt'], trespasses: [] });
    expect(existsSync(at('pkg/one/ok.txt'))).toBe(true);
  });

  test('what is written as it was is no change', async () => {
    const report = await after(() => put('.env', 'SECRET=1\n'));
    expect(report.trespasses).toEqual([]);
  });

  test('a link that leads out, or into git, does not', async () => {
    const report = await after(() => {
      symlinkSync('../../outside', at('src/out'));
      symlinkSync('../.git/config', at('src/config'));
      symlinkSync('a.txt', at('src/fine'));
    });
    expect(paths(report)).toEqual(['leads out src/config', 'leads out src/out']);
    expect(readdirSync(at('src')).sort()).toEqual(['a.txt', 'b.txt', 'fine']);
  });

  test('with "strict" nothing does, with "shared" all but ours', async () => {
    const strict = await after(() => put('src/a.txt', 'x'), { mode: 'strict', paths: [] });
    expect(paths(strict)).toEqual(['changed src/a.txt']);
    const shared = await after(
      () => {
        put('lib/l.txt', 'x');
        put('.vision/workflows.json', '{}');
        put('.flow/flow.registry.json', '{}');
      },
      { mode: 'shared', paths: [] },
    );
    expect(shared.changed).toEqual(['lib/l.txt']);
    expect(paths(shared).toSorted()).toEqual(['added .flow/flow.registry.json', 'added .vision/workflows.json']);
  });
});

describe("git's own files", () => {
  test('settings of its own worktree go back, too: they name programs as those of the repository do', async () => {
    git('config', 'extensions.worktreeConfig', 'true');
    const linked = path.join(base, 'linked');
    git('worktree', 'add', '-q', '-b', 'linked', linked);
    const own = path.join(root, '.git/worktrees/linked/config.worktree');
    const watched = async (text: string): Promise<GuardReport> => {
      const watch = await guard.watch('key', linked, { mode: 'shared', paths: [] });
      writeFileSync(own, text);
      return watch.end();
    };
    expect(paths(await watched('[core]\n\tfsmonitor = evil\n'))).toEqual([
      'added .git/worktrees/linked/config.worktree',
    ]);
    expect(existsSync(own)).toBe(false);
    writeFileSync(own, '[core]\n\tsparseCheckout = true\n');
    expect(paths(await watched('[core]\n\thooksPath = /evil\n'))).toEqual([
      'changed .git/worktrees/linked/config.worktree',
    ]);
    expect(readFileSync(own, 'utf8')).toContain('sparseCheckout');
  });

  test('what leads git from a worktree to its repository goes back: else another one names the programs', async () => {
    const linked = path.join(base, 'linked');
    git('worktree', 'add', '-q', '-b', 'linked', linked);
    const evil = path.join(base, 'evil');
    git('clone', '-q', root, evil);
    const pwned = path.join(base, 'pwned');
    git('-C', evil, 'config', 'core.fsmonitor', `touch ${pwned}; false`);
    const [dot, common] = [path.join(linked, '.git'), path.join(root, '.git/worktrees/linked/commondir')];
    const was = [dot, common].map((file) => readFileSync(file, 'utf8'));
    const watch = await guard.watch('key', linked, { mode: 'shared', paths: [] });
    rmSync(dot);
    mkdirSync(dot);
    writeFileSync(path.join(dot, 'HEAD'), 'ref: refs/heads/evil\n');
    writeFileSync(common, `${evil}/.git\n`);
    const report = await watch.end();
    expect(paths(report).toSorted()).toEqual(['changed .git', 'changed .git/worktrees/linked/commondir']);
    expect([dot, common].map((file) => readFileSync(file, 'utf8'))).toEqual(was);
    const again = await guard.watch('key', linked, { mode: 'shared', paths: [] });
    writeFileSync(dot, `gitdir: ${evil}/.git\n`);
    expect(paths(await again.end())).toEqual(['changed .git']);
    git('-C', linked, 'status');
    expect(existsSync(pwned)).toBe(false);
  });

  test('a repository that is made where none was is no trespass', async () => {
    const bare = path.join(base, 'bare');
    mkdirSync(bare);
    const watch = await guard.watch('key', bare, { mode: 'shared', paths: [] });
    git('init', '-q', bare);
    expect((await watch.end()).trespasses).toEqual([]);
    expect(existsSync(path.join(bare, '.git/HEAD'))).toBe(true);
  });

  test('hooks and settings go back, whatever the access', async () => {
    const before = readFileSync(at('.git/config'), 'utf8');
    const report = await after(
      () => {
        put('.git/hooks/pre-commit', '#!/bin/sh\nexit 1\n');
        git('config', 'core.fsmonitor', 'evil');
      },
      { mode: 'shared', paths: [] },
    );
    expect(paths(report).toSorted()).toEqual(['added .git/hooks/pre-commit', 'changed .git/config']);
    expect(readFileSync(at('.git/config'), 'utf8')).toBe(before);
    expect(existsSync(at('.git/hooks/pre-commit'))).toBe(false);
  });

  const SHARED: Access = { mode: 'shared', paths: [] };

  /** Creates another repository beside the main one, with one commit, and returns its path. */
  const makeOther = (name: string): string => {
    const other = path.join(base, name);
    git('init', '-q', '-b', 'main', other);
    git('-C', other, 'commit', '-q', '--allow-empty', '-m', 'one');
    return other;
  };

  test.each<[string, () => void]>([
    ['an editor notes what a branch began at', () => git('config', 'branch.main.vscode-merge-base', 'origin/main')],
    ['a branch is pushed and follows its remote', () => git('push', '-q', '-u', 'origin', 'main')],
    ['a branch is removed with its settings', () => git('branch', '-D', 'followed')],
    [
      'a worktree with a submodule is made',
      () => {
        git('worktree', 'add', '-q', path.join(base, 'whole'), 'with-submodule');
        git('-C', path.join(base, 'whole'), '-c', 'protocol.file.allow=always', 'submodule', 'update', '-q', '--init');
      },
    ],
    ['gh notes which remote is meant', () => git('config', 'remote.origin.gh-resolved', 'base')],
    ['objects are packed', () => git('gc', '-q')],
  ])("what names no program stays, and is nobody's trespass: %s", async (_, change) => {
    git('clone', '-q', '--bare', root, path.join(base, 'origin'));
    git('remote', 'add', 'origin', path.join(base, 'origin'));
    git('branch', '-q', '--track', 'followed', 'main');
    const [module, builder] = [makeOther('module'), path.join(base, 'builder')];
    git('worktree', 'add', '-q', '-b', 'with-submodule', builder);
    git('-C', builder, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', module, 'module');
    git('-C', builder, 'commit', '-qm', 'submodule');
    git('config', '--remove-section', 'submodule.module');
    git('worktree', 'remove', '--force', '--force', builder);
    const pictured = (): string =>
      [readFileSync(at('.git/config'), 'utf8'), existsSync(at('.git/info/refs'))].join('\n');
    const before = pictured();
    let made = '';
    const report = await after(() => {
      change();
      made = pictured();
    }, SHARED);
    expect(report.trespasses).toEqual([]);
    expect(made).not.toBe(before);
    expect(pictured()).toBe(made);
  });

  test.each<[string, readonly string[]]>([
    ['an address in the place of a remote', ['branch.main.remote', '/evil']],
    ['another place to push to', ['branch.main.pushRemote', 'ext::evil']],
    ['a program that updates a submodule', ['submodule.module.update', '!evil']],
    ['another address of a known submodule', ['submodule.known.url', '/evil']],
    ['more settings from elsewhere', ['include.path', '/evil']],
    ['a strategy of merging', ['branch.main.mergeOptions', '-s evil']],
    ['a program that transfers', ['lfs.customtransfer.access.path', 'evil']],
    ['a program for a remote', ['remote.x.gh-resolved.uploadpack', 'evil']],
    ['settings of worktrees are not read any more', ['--unset', 'extensions.worktreeConfig']],
    ['a name that only ends like a harmless one', ['core.fsmonitor', 'branch.main.merge']],
  ])('%s goes back, with all that was changed beside it', async (_, setting) => {
    git('config', 'extensions.worktreeConfig', 'true');
    git('config', 'submodule.known.url', '/known');
    const before = readFileSync(at('.git/config'), 'utf8');
    const report = await after(() => {
      git('config', 'branch.main.description', 'main');
      git('config', ...setting);
    }, SHARED);
    expect(paths(report)).toEqual(['changed .git/config']);
    expect(readFileSync(at('.git/config'), 'utf8')).toBe(before);
  });

  test.each(['in this process', 'after a crash'])(
    'what one watch puts back, another that began in between keeps: it is neither blamed nor brings it again (%s)',
    async (when) => {
      const linked = path.join(base, 'linked');
      git('worktree', 'add', '-q', '-b', 'linked', linked);
      put('.git/hooks/pre-push', '#!/bin/sh\n');
      const pictured = (): readonly string[] =>
        ['.git/config', '.git/hooks/pre-push'].map((name) => readFileSync(at(name), 'utf8'));
      const before = pictured();
      const first = await guard.watch('first', root, SHARED);
      git('config', 'core.fsmonitor', 'evil');
      put('.git/hooks/pre-push', '#!/bin/sh\nevil\n');
      put('.git/hooks/pre-commit', '#!/bin/sh\nevil\n');
      const second = await guard.watch('second', linked, SHARED);
      const again = makeGuard();
      const ends =
        when === 'after a crash' ? ['first', 'second'].map((key) => () => again.endLeft(key)) : [first.end, second.end];
      const reports: (GuardReport | null)[] = [];
      for (const end of ends) reports.push(await end());
      expect(reports.map((report) => report?.trespasses.length)).toEqual([3, 0]);
      expect(pictured()).toEqual(before);
      expect(existsSync(at('.git/hooks/pre-commit'))).toBe(false);
      expect(readdirSync(path.join(base, '.flow/guards'))).toEqual([]);
    },
  );

  test('a commit is taken back, and stays in the reflog; what the user had staged is staged', async () => {
    const [head, status] = [git('rev-parse', 'HEAD'), git('status', '--porcelain')];
    const report = await after(() => git('commit', '-qam', 'unasked'));
    expect(paths(report)).toEqual(['moved .git/refs/heads/main']);
    expect(git('rev-parse', 'HEAD')).toBe(head);
    expect(git('status', '--porcelain')).toBe(status);
    expect(git('reflog')).toContain('unasked');
  });

  test('another branch is left again', async () => {
    const report = await after(() => git('checkout', '-qb', 'other'));
    expect(paths(report)).toEqual(['moved .git/HEAD', 'added .git/refs/heads/other']);
    expect(git('branch', '--show-current').trim()).toBe('main');
  });

  test('a stash and a hard reset lose nothing of the user', async () => {
    const before = picture(root);
    await after(() => {
      git('stash', '-q', '--include-untracked');
      git('reset', '-q', '--hard');
      git('clean', '-qfdx');
    });
    expect(picture(root)).toEqual(before);
  });

  test('with "shared" it may commit', async () => {
    const head = git('rev-parse', 'HEAD');
    const report = await after(() => git('commit', '-qam', 'asked'), { mode: 'shared', paths: [] });
    expect(report.trespasses).toEqual([]);
    expect(git('rev-parse', 'HEAD')).not.toBe(head);
  });

  test('of a linked worktree the shared ones are looked after', async () => {
    const linked = path.join(base, 'linked');
    git('worktree', 'add', '-q', linked);
    const watch = await guard.watch('step', linked, SRC);
    put('.git/hooks/post-checkout', '#!/bin/sh\n');
    writeFileSync(path.join(linked, 'lib/l.txt'), 'x');
    const report = await watch.end();
    expect(paths(report).toSorted()).toEqual(['added .git/hooks/post-checkout', 'changed lib/l.txt']);
    expect(readFileSync(path.join(linked, 'lib/l.txt'), 'utf8')).toBe('l\n');
  });
});

test('after a crash another process ends the watch', async () => {
  verifies('workers.ai.agent-access');
  const before = picture(root);
  await guard.watch('step', root, SRC);
  put('lib/l.txt', 'x');
  put('src/a.txt', 'kept');
  const next = makeGuard();
  expect(await next.endLeft('another step')).toBeNull();
  const report = await next.endLeft('step');
  expect(report === null ? [] : paths(report)).toEqual(['changed lib/l.txt']);
  expect(picture(root)).toEqual({ ...before, 'src/a.txt': 'file 644 kept' });
  expect(await next.endLeft('step')).toBeNull();
});

describe('who works beside it', () => {
  test('another agent may change what that one may', async () => {
    const one = await guard.watch('one', root, SRC);
    const other = await guard.watch('other', root, { mode: 'partial', paths: ['lib/**'] });
    put('src/a.txt', 'of one');
    put('lib/l.txt', 'of the other');
    put('notes.bin', 'of nobody');
    expect(paths(await one.end())).toEqual(['changed notes.bin']);
    // The other watch must not report the restored file as a change.
    expect(paths(await other.end())).toEqual([]);
    expect(readFileSync(at('lib/l.txt'), 'utf8')).toBe('of the other');
  });

  test('what a writer wrote stays, and what a process may have written is only told', async () => {
    const watch = await guard.watch('step', root, SRC);
    const done = guard.others(root, ['lib/l.txt']);
    put('lib/l.txt', 'of a writer');
    put('notes.bin', 'of the agent');
    done();
    expect(paths(await watch.end())).toEqual(['changed notes.bin']);
    const again = await guard.watch('step', root, SRC);
    guard.others(root, null)();
    put('notes.bin', 'of whom?');
    expect(await again.end()).toMatchObject({ trespasses: [], unclear: ['notes.bin'] });
    expect(readFileSync(at('notes.bin'), 'utf8')).toBe('of whom?');
  });
});

test('whatever is done outside, it is as it was; whatever is done inside, it stays', async () => {
  const names = [
    'lib/l.txt',
    'lib/run.sh',
    'lib/link',
    'lib',
    'notes.bin',
    '.env',
    'ignored',
    'ignored/cache.txt',
    'n/e/w',
    'n',
    'src/a.txt',
    'src/n',
  ];
  const step = fc.record({
    name: fc.constantFrom(...names),
    how: fc.constantFrom('write', 'remove', 'link', 'folder', 'mode', 'move'),
    to: fc.constantFrom(...names),
  });
  const act = ({ name, how, to }: { name: string; how: string; to: string }): void => {
    const file = at(name);
    switch (how) {
      case 'write':
        return put(name, `written ${to}`);
      case 'remove':
        return rmSync(file, { recursive: true, force: true });
      case 'link':
        rmSync(file, { recursive: true, force: true });
        mkdirSync(path.dirname(file), { recursive: true });
        return symlinkSync(path.relative(path.dirname(file), at(to)) || '.', file);
      case 'folder':
        return void mkdirSync(file, { recursive: true });
      case 'mode':
        return chmodSync(file, 0o700);
      default:
        mkdirSync(path.dirname(at(to)), { recursive: true });
        return renameSync(file, at(to));
    }
  };
  const outside = (all: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith('src')));
  const runs = Number(process.env['ROBOSMITH_GUARD_RUNS'] ?? 60);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const before = picture(root);
      const watch = await guard.watch('step', root, SRC);
      for (const one of steps)
        try {
          act(one);
        } catch {
          // An earlier step may have made this step impossible.
        }
      const inside = Object.entries(picture(root)).filter(
        ([name]) => name.startsWith('src/') && !name.includes('link'),
      );
      const report = await watch.end();
      expect(outside(picture(root))).toEqual(outside(before));
      expect(report.trespasses.every(({ restored }) => restored)).toBe(true);
      const now = picture(root);
      for (const [name, what] of inside) if (what.startsWith('file')) expect(now[name]).toBe(what);
    }),
    { numRuns: runs },
  );
});

describe('what is staged outside of the access', () => {
  const staged = (): string => git('ls-files', '--stage', '-v');

  test.each<[string, () => void, readonly string[]]>([
    [
      'a change',
      () => {
        put('lib/l.txt', 'forbidden\n');
        git('add', 'lib/l.txt');
      },
      ['changed lib/l.txt', 'staged lib/l.txt'],
    ],
    ['a file that is taken out', () => git('rm', '-q', '--cached', 'lib/run.sh'), ['staged lib/run.sh']],
    ['an addition', () => git('add', '-f', '.env'), ['staged .env']],
    [
      'a file that is no longer looked at',
      () => git('update-index', '--assume-unchanged', 'lib/l.txt'),
      ['staged lib/l.txt'],
    ],
    ['a file that is skipped', () => git('update-index', '--skip-worktree', 'lib/l.txt'), ['staged lib/l.txt']],
    [
      'what is left of a commit whose branch was set back',
      () => {
        const head = git('rev-parse', 'HEAD').trim();
        put('lib/l.txt', 'forbidden\n');
        git('commit', '-qam', 'unasked');
        git('update-ref', 'refs/heads/main', head);
      },
      ['changed lib/l.txt', 'staged lib/l.txt'],
    ],
    ['an index that is gone', () => rmSync(at('.git/index')), []],
  ])('is put back: %s', async (name, change, expected) => {
    git('update-index', '--skip-worktree', 'src/b.txt');
    const [index, status] = [staged(), git('status', '--porcelain')];
    const report = await after(change);
    if (name.endsWith('gone')) expect(report.trespasses.length).toBeGreaterThan(0);
    else expect(paths(report)).toEqual(expected);
    expect(report.trespasses.every(({ restored }) => restored)).toBe(true);
    const outside = (text: string): string =>
      text
        .split('\n')
        .filter((line) => !line.includes('src/'))
        .join('\n');
    expect(outside(staged())).toBe(outside(index));
    expect(outside(git('status', '--porcelain'))).toBe(outside(status));
  });

  test('inside of it stays staged, and its own index is kept', async () => {
    const report = await after(() => {
      put('src/a.txt', 'fixed\n');
      git('add', 'src/a.txt');
      git('rm', '-q', '--cached', 'lib/run.sh');
    });
    expect(paths(report)).toEqual(['staged lib/run.sh']);
    expect(git('diff', '--cached', '--name-only')).toBe('src/a.txt\nstaged.txt\n');
    expect(existsSync(path.join(base, report.rescued ?? '', '.git-folder/index'))).toBe(true);
  });
});

describe("the project's own state", () => {
  const flow = (name: string): string => path.join(base, '.flow', name);
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(flow(name)), { recursive: true });
    writeFileSync(flow(name), text);
  };
  const STATE = [
    'status.md',
    'status.meta',
    'sub_flows/task_1.md',
    'flow.registry.json',
    'backups/status.md.000001.aa',
  ];

  test.each(STATE)('%s is put back, with what it was changed to kept', async (name) => {
    for (const one of STATE) write(one, 'as it was\n');
    const report = await after(() => write(name, '- [ ] Deploy\n'), { mode: 'shared', paths: [] });
    expect(paths(report)).toEqual([`changed .flow/${name}`]);
    expect(readFileSync(flow(name), 'utf8')).toBe('as it was\n');
    expect(readFileSync(path.join(base, report.rescued ?? '', '.flow-folder', name), 'utf8')).toBe('- [ ] Deploy\n');
  });

  test('what is new, or removed, is put back; what the engine writes meanwhile stays', async () => {
    write('status.md', 'plan\n');
    const report = await after(() => {
      rmSync(flow('status.md'));
      write('sub_flows/new.md', '- [ ] Deploy\n');
      write('runs/r1/journal', 'entry\n');
      write('sessions.json', '{}');
      write('sessions.json.abc.tmp', '{}');
    });
    expect(paths(report)).toEqual(['removed .flow/status.md', 'added .flow/sub_flows/new.md']);
    expect([readFileSync(flow('status.md'), 'utf8'), existsSync(flow('sub_flows/new.md'))]).toEqual(['plan\n', false]);
    expect([existsSync(flow('runs/r1/journal')), existsSync(flow('sessions.json'))]).toEqual([true, true]);
  });

  // The comparison of sessions runs at any time while a host lives, also in the middle of another session's block.
  test('the stored comparisons of sessions stay, new or replaced, also beside a block in a session', async () => {
    const of = (ours: string) => new Map([[ours, { sessions: ['s1', 's2'] as never, clashes: [], isChecked: true }]]);
    const save = (ours: string): void => writeOverlaps(fileCalls, flow(''), of(ours));
    expect(paths(await after(() => save('a b')))).toEqual([]);
    expect(paths(await after(() => save('c d')))).toEqual([]);
    expect([...readOverlaps(fileCalls, flow('')).keys()]).toEqual(['c d']);
  });

  test('after a crash too', async () => {
    write('status.md', 'plan\n');
    await guard.watch('step', root, SRC);
    write('status.md', 'other\n');
    expect(paths((await makeGuard().endLeft('step')) ?? (await after(() => undefined)))).toEqual([
      'changed .flow/status.md',
    ]);
    expect(readFileSync(flow('status.md'), 'utf8')).toBe('plan\n');
  });
});

/** Ways in which an agent can damage the copies that the watch keeps. */
const SPOILED: readonly (readonly [string, (guards: string) => void])[] = [
  ['all of it', (guards) => rmSync(guards, { recursive: true })],
  [
    'all copies',
    (guards) => {
      for (const home of readdirSync(guards)) rmSync(path.join(guards, home, 'files'), { recursive: true });
    },
  ],
  [
    'what is in the copies',
    (guards) => {
      for (const home of readdirSync(guards))
        for (const name of readdirSync(path.join(guards, home, 'files')))
          writeFileSync(path.join(guards, home, 'files', name), '');
    },
  ],
];

describe('copies that an agent spoils', () => {
  test.each(SPOILED)('%s: its version of a file stays, and nothing of the user is gone', async (_, spoil) => {
    const report = await after(() => {
      put('lib/l.txt', 'the only version');
      spoil(path.join(base, '.flow/guards'));
    });
    expect(report.trespasses).toContainEqual({ path: 'lib/l.txt', what: 'changed', restored: false });
    expect(readFileSync(at('lib/l.txt'), 'utf8')).toBe('the only version');
  });

  test('are out of its reach where the engine has a place for them', async () => {
    const before = picture(root);
    guard = createWorktreeGuard({
      folder: path.join(base, '.flow'),
      copies: path.join(base, 'home/guards'),
      git: createGit(createProcesses()),
      newId: () => 'abcdef',
      allows: (access, ignoresCase) => {
        const check = accessCheck(access, 'program', ignoresCase);
        return (name) => check(name, name) === null;
      },
    });
    mkdirSync(path.join(base, '.flow'), { recursive: true });
    const report = await after(() => {
      rmSync(path.join(base, '.flow'), { recursive: true });
      rmSync(at('lib/l.txt'));
      put('.env', 'x');
    });
    expect(paths(report)).toEqual(['changed .env', 'removed lib/l.txt']);
    expect(picture(root)).toEqual(before);
  });
});

test('property: whatever is staged, written and removed, files and index outside of the access are as before', async () => {
  const names = ['lib/l.txt', 'lib/run.sh', 'staged.txt', 'src/a.txt', 'notes.bin'] as const;
  const step = fc.oneof(
    fc.record({
      kind: fc.constantFrom('put' as const),
      name: fc.constantFrom(...names),
      text: fc.string({ maxLength: 5 }),
    }),
    fc.record({
      kind: fc.constantFrom('rm' as const, 'add' as const, 'cached' as const),
      name: fc.constantFrom(...names),
    }),
    fc.record({ kind: fc.constantFrom('commit' as const, 'back' as const) }),
  );
  const quietly = (...args: readonly string[]): void => {
    try {
      git(...args);
    } catch {
      // Git refuses the command, as it would for an agent.
    }
  };
  const outside = (): string =>
    git('ls-files', '--stage', '-v')
      .split('\n')
      .filter((line) => !line.includes('src/'))
      .join('\n');
  const head = git('rev-parse', 'HEAD').trim();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const [before, index] = [picture(root), outside()];
      const report = await after(() => {
        for (const one of steps) {
          if (one.kind === 'put') put(one.name, one.text);
          else if (one.kind === 'rm') rmSync(at(one.name), { force: true });
          else if (one.kind === 'add') quietly('add', '-Af', '--', one.name);
          else if (one.kind === 'cached') quietly('rm', '-q', '--cached', '-f', '--', one.name);
          else if (one.kind === 'commit') quietly('commit', '-qm', 'unasked');
          else quietly('update-ref', 'refs/heads/main', head);
        }
      });
      expect(report.trespasses.every(({ restored }) => restored)).toBe(true);
      const others = (found: Record<string, string>) =>
        Object.fromEntries(Object.entries(found).filter(([name]) => !name.startsWith('src')));
      expect(others(picture(root))).toEqual(others(before));
      expect([outside(), git('rev-parse', 'HEAD').trim()]).toEqual([index, head]);
    }),
    { numRuns: 25 },
  );
});
