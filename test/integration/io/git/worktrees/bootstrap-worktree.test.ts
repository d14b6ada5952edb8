import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { processes } from '#io/process/process.ts';
import { type Bootstrap, type BootstrapResult, bootstrapWorktree } from '#io/git/worktrees/bootstrap-worktree.ts';
import { newRepository, realGit, type Repository } from '../../../../support/git-repository.ts';
import { verifies } from '../../../../e2e/verifies.ts';

let repo: Repository;
let tree = '';
beforeEach(async () => {
  repo = await newRepository();
  repo.put('.gitignore', '.env*\ncerts/\nnode_modules/\n/cache\nbuild/\n');
  repo.put('packages/a/index.js', 'a');
  repo.put('packages/b/index.js', 'b');
  repo.commit('Ignore');
  tree = repo.linkedWorktree('tree', 'feature');
});
afterEach(() => repo.end());

const ready = (more: Partial<Bootstrap> = {}, signal = new AbortController().signal): Promise<BootstrapResult> =>
  bootstrapWorktree(
    realGit,
    processes,
    { worktree: tree, main: repo.root, ports: null, copy: [], link: [], share: [], setup: [], ...more },
    signal,
  );
const outcomes = async (more: Partial<Bootstrap>): Promise<readonly string[]> =>
  (await ready(more)).carried.map(({ how, path: name, outcome }) => `${how} ${name}: ${outcome}`);
const inTree = (name: string): string => readFileSync(path.join(tree, name), 'utf8');
const status = (): string => repo.git(['status', '--porcelain'], tree);
const node = (source: string): readonly string[] => [process.execPath, '-e', source];

describe('files of the main worktree', () => {
  test('files and folders that git ignores, by path and by glob', async () => {
    repo.put('.env', 'A=1\n');
    repo.put('.env.local', 'B=2\n');
    repo.put('certs/dev/key.pem', 'key\n');
    repo.put('packages/a/.env', 'C=3\n');
    expect(await outcomes({ copy: ['.env*', 'certs', 'packages/*/.env'] })).toEqual([
      'copy .env: done',
      'copy .env.local: done',
      'copy certs: done',
      'copy packages/a/.env: done',
    ]);
    expect([inTree('.env'), inTree('certs/dev/key.pem'), inTree('packages/a/.env')]).toEqual([
      'A=1\n',
      'key\n',
      'C=3\n',
    ]);
    expect(status()).toBe('');
  });

  test('a copy is a copy: a change of one does not reach the other', async () => {
    repo.put('cache/x', 'main\n');
    await ready({ share: ['cache'] });
    repo.put('cache/x', 'session\n', tree);
    expect(readFileSync(path.join(repo.root, 'cache/x'), 'utf8')).toBe('main\n');
  });

  test('a link is a link', async () => {
    repo.put('cache/x', 'main\n');
    repo.put('.env', 'A=1\n');
    expect(await outcomes({ link: ['cache', '.env'] })).toEqual(['link cache: done', 'link .env: done']);
    expect(realpathSync(path.join(tree, 'cache'))).toBe(path.join(repo.root, 'cache'));
    expect(inTree('.env')).toBe('A=1\n');
    expect(status()).toBe('');
  });

  test('a link to a folder that is ignored as a folder only would be committed: refused, with the reason', async () => {
    repo.put('node_modules/x/index.js', 'x');
    const { carried, kind } = await ready({ link: ['node_modules'] });
    expect(kind).toBe('ready');
    expect(carried).toMatchObject([
      { outcome: 'not_ignored', message: expect.stringContaining('Remove the "/"') as string },
    ]);
    expect(existsSync(path.join(tree, 'node_modules'))).toBe(false);
    expect(await outcomes({ share: ['node_modules'] })).toEqual(['share node_modules: done']);
  });

  test('what git tracks is not taken, not as a part of a folder either; what it does not ignore neither', async () => {
    verifies('worktrees.git.carried');
    repo.put('secret.txt', 's\n');
    repo.put('packages/a/.env', 'C=3\n');
    expect(await outcomes({ copy: ['a.txt', 'packages', 'secret.txt'] })).toEqual([
      'copy a.txt: tracked',
      'copy packages: tracked',
      'copy secret.txt: not_ignored',
    ]);
    expect(status()).toBe('');
  });

  test('tracked only on the branch of the worktree, and ignored here', async () => {
    repo.put('.env', 'committed\n', tree);
    repo.git(['add', '-f', '.env'], tree);
    repo.put('.env', 'main\n');
    expect(await outcomes({ copy: ['.env'] })).toEqual(['copy .env: tracked']);
    expect(inTree('.env')).toBe('committed\n');
  });

  test('nothing matches; something is there already', async () => {
    repo.put('.env', 'main\n');
    repo.put('.env', 'mine\n', tree);
    expect(await outcomes({ copy: ['.env', '.envrc', 'nope/**'] })).toEqual([
      'copy .env: already_there',
      'copy .envrc: no_match',
      'copy nope/**: no_match',
    ]);
    expect(inTree('.env')).toBe('mine\n');
  });

  test.each(['../outside', '/etc/passwd', 'C:/x', '**/../../x', '.git/config', '.git', 'a\\b'])(
    'never outside, never of git itself: %s',
    async (pattern) => {
      repo.put('outside', 'x', repo.base);
      const { carried } = await ready({ copy: [pattern], share: [pattern] });
      expect(carried.map(({ outcome }) => outcome)).toEqual(['unsafe', 'unsafe']);
    },
  );

  test('links of the main worktree: out of it refused, inside of it followed', async () => {
    repo.put('secret', 'x', repo.base);
    symlinkSync('../secret', path.join(repo.root, '.env.out'));
    repo.put('certs/real', 'real\n');
    symlinkSync('certs/real', path.join(repo.root, '.env.in'));
    expect(await outcomes({ copy: ['.env.out', '.env.in'] })).toEqual(['copy .env.out: unsafe', 'copy .env.in: done']);
    expect(lstatSync(path.join(tree, '.env.in')).isFile()).toBe(true);
  });

  test('links in a shared folder: relative ones stay, absolute ones do not lead back, others are left out and told', async () => {
    repo.put('cache/bin/cli.js', 'cli\n');
    symlinkSync('bin/cli.js', path.join(repo.root, 'cache/cli'));
    symlinkSync(path.join(repo.root, 'cache/bin'), path.join(repo.root, 'cache/absolute'));
    symlinkSync('../packages/a', path.join(repo.root, 'cache/workspace'));
    symlinkSync(repo.base, path.join(repo.root, 'cache/out'));
    const { carried } = await ready({ share: ['cache'] });
    expect(carried).toMatchObject([
      { outcome: 'links_left', message: expect.stringMatching(/1 links.*cache\/out/) as string },
    ]);
    expect(inTree('cache/cli')).toBe('cli\n');
    expect(readlinkSync(path.join(tree, 'cache/absolute'))).toBe('bin');
    expect(realpathSync(path.join(tree, 'cache/workspace'))).toBe(path.join(tree, 'packages/a'));
    expect(existsSync(path.join(tree, 'cache/out'))).toBe(false);
  });

  test('a link that is committed in the worktree does not lead a copy out of it', async () => {
    mkdirSync(repo.at('victim'));
    repo.put('build/x', 'x');
    symlinkSync(repo.at('victim'), path.join(tree, 'build'));
    const [one] = (await ready({ copy: ['build/x'] })).carried;
    expect(one!.outcome).not.toBe('done');
    expect(existsSync(repo.at('victim/x'))).toBe(false);
  });

  test('a glob does not walk into dependencies that it does not name', async () => {
    repo.put('.env', 'x');
    repo.put('node_modules/p/.env', 'not mine');
    repo.put('packages/a/node_modules/q/index.js', 'q');
    expect(await outcomes({ copy: ['**/.env'], share: ['packages/*/node_modules'] })).toEqual([
      'copy .env: done',
      'share packages/a/node_modules: done',
    ]);
  });
});

describe('setup', () => {
  test('runs in the worktree, with its ports and places, and no git folder of ours', async () => {
    verifies('worktrees.git.setup');
    process.env['GIT_DIR'] = '/nowhere';
    const names = [
      'ROBOSMITH_PORT_0',
      'ROBOSMITH_PORT_1',
      'ROBOSMITH_PORT_2',
      'ROBOSMITH_WORKTREE',
      'ROBOSMITH_MAIN',
      'GIT_DIR',
    ];
    const source = `console.log(process.cwd()); for (const n of ${JSON.stringify(names)}) console.log(process.env[n])`;
    const done = await ready({ ports: { first: 4000, count: 2 }, setup: [node(source)] });
    Reflect.deleteProperty(process.env, 'GIT_DIR');
    expect(done.kind).toBe('ready');
    const lines = done.log.trimEnd().split('\n').slice(1);
    expect(lines).toEqual([tree, '4000', '4001', 'undefined', tree, repo.root, 'undefined']);
  });

  test('one that fails ends it, with the log', async () => {
    const done = await ready({
      setup: [node('console.log("one")'), node('console.error("two"); process.exit(3)'), node('console.log("three")')],
    });
    expect(done).toMatchObject({
      kind: 'refused',
      why: 'command_failed',
      message: expect.stringContaining('ended with exit code 3') as string,
    });
    expect(done.log).toMatch(/^\$ .*\none\n\$ .*\ntwo\n$/);
  });

  test('one that is not there, one that hangs, one that is ended', async () => {
    expect(await ready({ setup: [['no-such-program-here']] })).toMatchObject({ why: 'command_not_started' });
    const hangs = node('setInterval(() => {}, 1000)');
    expect(await ready({ setup: [hangs], timeoutMs: 300 })).toMatchObject({ why: 'command_timed_out' });
    expect(await ready({ setup: [hangs] }, AbortSignal.abort())).toMatchObject({ why: 'command_ended' });
  });
});
