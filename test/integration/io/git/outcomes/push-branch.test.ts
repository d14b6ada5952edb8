import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdSession } from '#io/git/outcomes/hold-session.ts';
import { pullRequestPage } from '#io/forge/pull-request-page.ts';
import { pushBranch, type PushRequest } from '#io/git/outcomes/push-branch.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { gitFolder, type GitFolder, newRepository, realGit } from '../../../../support/git-folder.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';

describe('push', () => {
  let base = '';
  let main: GitFolder;
  let remote: GitFolder;
  beforeEach(async () => {
    base = await newFolder();
    main = newRepository(path.join(base, 'r'));
    main.put('a', 'a\n');
    main.commit('one');
    main.git('branch', 'work');
    remote = gitFolder(path.join(base, 'remote'));
    remote.git('init', '-q', '--bare');
    main.git('remote', 'add', 'origin', remote.at);
  });
  afterEach(() => removeFolder(base));

  const push = (more: Partial<PushRequest> = {}) =>
    pushBranch(realGit, { repository: main.at, branch: 'work', base: 'main', ...more });

  test('the branch, and again when it has grown, without the state of a held session unless that is wanted', async () => {
    verifies('worktrees.push.page');
    const tip = main.git('rev-parse', 'work');
    expect(await push()).toEqual({ kind: 'pushed', commit: tip, remoteUrl: remote.at });
    const state = { repository: main.at, branch: 'work', worktree: null, message: 'Hold' };
    await holdSession(realGit, { ...state, state: '{"n":1}' });
    main.git('checkout', '-q', 'work');
    main.put('b', 'b\n');
    main.commit('two');
    expect(await push()).toMatchObject({ kind: 'pushed' });
    expect(remote.git('log', '--format=%s', 'work')).toBe('two\none');
    await holdSession(realGit, { ...state, worktree: main.at, state: '{"n":2}' });
    main.put('b', 'bb\n');
    main.commit('three');
    expect(await push()).toMatchObject({ kind: 'pushed' });
    expect(remote.git('log', '--format=%s', 'work')).toBe('three\ntwo\none');
    expect(await push({ base: null })).toMatchObject({ kind: 'refused', why: 'rejected' });
    expect(remote.git('log', '--format=%s', 'work')).toBe('three\ntwo\none');
  });

  test('is refused without a remote or a branch, by the remote, and by a hook', async () => {
    expect(await push({ remote: 'upstream' })).toMatchObject({ why: 'no_remote' });
    expect(await push({ remote: '--all' })).toMatchObject({ why: 'no_remote' });
    expect(await push({ branch: 'none' })).toMatchObject({ why: 'missing' });
    main.hook('pre-push', 'echo "tests fail" >&2; exit 1');
    const said = await push();
    expect(said).toMatchObject({ why: 'hook_refused', message: expect.stringContaining('tests fail') as string });
    main.hook('pre-push', 'sleep 1000');
    expect(await push({ timeoutMs: 300 })).toMatchObject({ why: 'timed_out' });
    main.hook('pre-push', 'exit 0');
    remote.hook('update', 'echo "protected" >&2; exit 1');
    expect(await push()).toMatchObject({ why: 'rejected' });
    main.git('remote', 'set-url', 'origin', path.join(base, 'nowhere'));
    expect(await push()).toMatchObject({ kind: 'refused', why: 'git_failed' });
  });
});

describe('the page of a pull request', () => {
  const GITHUB = 'https://github.com/o/r/compare/main...robosmith/a-1?expand=1';
  const AZURE = 'https://dev.azure.com/o/p%20q/_git/r/pullrequestcreate?sourceRef=robosmith%2Fa-1&targetRef=main';
  test.each([
    ['git@github.com:o/r.git', GITHUB],
    ['https://github.com/o/r', GITHUB],
    ['https://user:secret@github.com/o/r.git/', GITHUB],
    ['ssh://git@ssh.github.com:443/o/r.git', GITHUB],
    ['git+ssh://git@GitHub.com/o/r', GITHUB],
    [
      'https://github.example.org:8443/o/r.git',
      'https://github.example.org:8443/o/r/compare/main...robosmith/a-1?expand=1',
    ],
    [
      'git@gitlab.example.org:group/sub/r.git',
      'https://gitlab.example.org/group/sub/r/-/merge_requests/new?merge_request%5Bsource_branch%5D=robosmith%2Fa-1&merge_request%5Btarget_branch%5D=main',
    ],
    ['git@bitbucket.org:o/r.git', 'https://bitbucket.org/o/r/pull-requests/new?source=robosmith%2Fa-1&dest=main'],
    [
      'https://bitbucket.example.org/scm/p/r.git',
      'https://bitbucket.example.org/projects/p/repos/r/pull-requests?create&sourceBranch=robosmith%2Fa-1&targetBranch=main',
    ],
    ['git@ssh.dev.azure.com:v3/o/p%20q/r', AZURE],
    ['https://o@dev.azure.com/o/p%20q/_git/r', AZURE],
    ['https://codeberg.org/o/r.git', 'https://codeberg.org/o/r/compare/main...robosmith/a-1'],
    ['https://example.org/o/r.git', null],
    ['/srv/git/r.git', null],
    ['C:\\repos\\r', null],
    ['file:///srv/github.com/r', null],
    ['https://github.com/', null],
    ['javascript:alert(1)//github.com/o/r', null],
    ['', null],
  ])('of %s', (remote, url) => {
    expect(pullRequestPage(remote, 'main', 'robosmith/a-1')?.url ?? null).toBe(url);
  });
});
