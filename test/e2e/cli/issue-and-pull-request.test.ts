import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { standIn, type StandIn } from '../../support/stand-in-program.ts';
import { newFolder, removeFolder } from '../../support/in-folder.ts';
import { verifies } from '../verifies.ts';
import { to } from './robosmith.ts';
import { MANIFEST, type SessionProject, sessionProject } from './session-project.ts';

const NODE = MANIFEST.nodes.Fix;
const HALT = to('FAIL_DEFAULT', 'HALT_AND_FLAG');
const PROPOSING = {
  ...MANIFEST,
  commands: { test: [process.execPath, '-e', ''] },
  nodes: {
    Fix: {
      ...NODE,
      blocks: {
        Edit: { worker: 'Worker:Edit', transitions: [to('SUCCESS', 'JUMP:Test'), HALT] },
        Test: { worker: 'Internal:TestRunner', transitions: [to('SUCCESS', 'JUMP:Propose'), HALT] },
        Propose: { worker: 'Internal:PullRequest', transitions: [to('SUCCESS', 'RETURN'), HALT] },
      },
    },
  },
};

const ISSUE = {
  number: 12,
  title: 'Login fails',
  body: 'It says sk-e2e-0123456789abcdefghij.',
  url: 'https://github.com/o/r/issues/12',
  author: { login: 'ann' },
  labels: [],
  comments: [],
};

let base = '';
let at: SessionProject;
let gh: StandIn;

beforeEach(async () => {
  base = await newFolder();
  at = await sessionProject(PROPOSING, {
    PATH: `${path.join(base, 'bin')}:${process.env['PATH'] ?? ''}`,
    OPENAI_API_KEY: 'sk-e2e-0123456789abcdefghij',
  });
  at.write(
    '.flow/flow.registry.json',
    JSON.stringify({ 'Internal:PullRequest': 'builtin:PullRequest', 'Internal:TestRunner': 'builtin:TestRunner' }),
  );
  const [bare, ssh] = [path.join(base, 'remote.git'), path.join(base, 'ssh')];
  mkdirSync(bare);
  at.gitIn(bare, 'init', '-q', '--bare');
  writeFileSync(
    ssh,
    `#!/bin/sh\ncase "$*" in *upload-pack*) exec git upload-pack '${bare}';; *) exec git receive-pack '${bare}';; esac\n`,
  );
  chmodSync(ssh, 0o755);
  at.git('config', 'core.sshCommand', ssh);
  at.git('config', 'ssh.variant', 'simple');
  at.git('remote', 'add', 'origin', 'git@github.com:o/r.git');
  for (const [name, value] of Object.entries({ issue: ISSUE, list: [], lines: [] })) answer(name, value);
  gh = standIn(
    path.join(base, 'bin'),
    'gh',
    `cd '${base}'
case "$1 $2" in
  "issue view") cat issue.json;;
  "pr list") cat list.json;;
  "pr create") echo https://github.com/o/r/pull/7;;
  "pr edit") ;;
  "pr view") cat pull.json;;
  api*) cat lines.json;;
  *) exit 1;;
esac`,
  );
  at.openGate();
});
afterEach(async () => {
  await at.remove();
  // The issue is the one file that may hold the key.
  answer('issue', {});
  await removeFolder(base);
});

const answer = (name: string, value: unknown): void =>
  writeFileSync(path.join(base, `${name}.json`), JSON.stringify(value));

interface Ran {
  readonly reason: string | null;
  readonly data: {
    readonly exports: Readonly<Record<string, unknown>>;
    readonly payload: readonly { readonly type: string; readonly content: string }[];
  };
}

async function ran(...args: readonly string[]): Promise<Ran> {
  const { out, err, code } = await at.robosmith('run', ...args, '--trust', '--json');
  expect(code, err).toBe(0);
  return JSON.parse(out) as Ran;
}

const lastOf = (verb: string): readonly string[] => gh.calls().findLast((call) => call[1] === verb) ?? [];

describe('an issue in, a pull request out', () => {
  test('the issue is the input, its number in title and branch, and the pull request closes it', async () => {
    verifies('worktrees.push.program');
    const { reason, data } = await ran('--issue', '12');
    expect(reason).toBe(null);
    expect(data.payload[0]).toMatchObject({ type: 'USER_INPUT' });
    expect(data.payload[0]?.content).toContain('<data-1 kind="issue" name="ann">\nLogin fails\n\nIt says [key]');
    expect(data.exports).toMatchObject({
      'pull_request.url': 'https://github.com/o/r/pull/7',
      'pull_request.number': 7,
    });
    const session = await at.session('#12 Login fails');
    expect(session.branch).toMatch(/^robosmith\/12-login-fails-/);
    expect(at.gitIn(path.join(base, 'remote.git'), 'log', '-1', '--format=%s', session.branch)).toBe(
      '#12 Login fails\n',
    );
    expect(lastOf('create').slice(2, 6)).toEqual([
      ...['--repo=github.com/o/r', `--head=${session.branch}`, '--base=main', '--title=#12 Login fails'],
    ]);
    expect(lastOf('create').at(-1)).toBe(
      [
        '--body=<!-- robosmith:begin -->\nCloses #12',
        '## What changed',
        '- #12 Login fails',
        '1 file changed, 1 insertion(+)',
        '## Checks',
        '- test: passed',
        `Robosmith-Session: ${session.id}\n<!-- robosmith:end -->`,
      ].join('\n\n'),
    );

    // Review comments continue the same session, and its pull request is updated.
    answer('list', [{ url: 'https://github.com/o/r/pull/7', number: 7, body: 'By hand' }]);
    answer('pull', { number: 7, title: 'Login', headRefName: session.branch, isCrossRepository: false, reviews: [] });
    answer('lines', [{ user: { login: 'bob' }, body: 'Why?', path: 'src/a.txt', line: 2, created_at: '2026' }]);
    const again = await ran('--pull-request', '7');
    expect(again.data.payload[0]?.content).toContain('name="bob, 2026, src/a.txt:2">\nWhy?\n');
    expect(again.data.exports['pull_request.number']).toBe(7);
    expect((await at.session('#12 Login fails')).runs).toHaveLength(2);
    expect(lastOf('edit').slice(0, 4)).toEqual(['pr', 'edit', '7', '--repo=github.com/o/r']);
    expect(lastOf('edit').at(-1)).toMatch(/^--body=By hand\n\n<!-- robosmith:begin -->\nCloses #12\n/);
    expect(readFileSync(path.join(session.worktree ?? '', 'src/a.txt'), 'utf8').split('\n')).toHaveLength(4);
  });

  test('--session gives the title, after the number; a pull request without a session gets one on its branch', async () => {
    await ran('--issue', '#12', '--session', 'Mine', '--input', 'Be careful.');
    const { branch, id } = await at.session('#12 Mine');
    expect((await at.robosmith('sessions', 'discard', id, '--force')).code).toBe(0);
    answer('pull', { number: 7, title: 'Login', headRefName: branch, isCrossRepository: false });
    answer('list', [{ url: 'https://github.com/o/r/pull/7', number: 7, body: '' }]);
    await ran('--pull-request', '7');
    expect(await at.session('Review of #7: Login')).toMatchObject({ branch, isAttached: true });
  });

  test("a colleague's pull request is worked on only once its commit is confirmed", async () => {
    await ran('--issue', '12');
    const other = path.join(base, 'other');
    at.gitIn(base, 'clone', '-q', at.folder, other);
    writeFileSync(
      path.join(other, 'work.mjs'),
      `import { writeFileSync } from 'node:fs';\nwriteFileSync('evil', '');\n`,
    );
    at.gitIn(other, 'commit', '-qam', 'Work better');
    at.gitIn(other, 'push', '-q', path.join(base, 'remote.git'), 'HEAD:colleague');
    answer('pull', { number: 15, title: 'Better', headRefName: 'colleague', isCrossRepository: false });
    const { code, err } = await at.robosmith('run', '--pull-request', '15');
    expect(code).toBe(2);
    for (const line of [
      `at ${at.gitIn(other, 'rev-parse', 'HEAD').trim()}`,
      'Ann <ann@example.org>',
      'Changed files that a command names, or that configure programs:\n    work.mjs',
      'robosmith run --pull-request 15 --trust',
    ])
      expect(err).toContain(line);
    expect((await at.sessions()).map(({ session }) => session.title)).toEqual(['#12 Login fails']);
  });

  test.each([
    ['not_on_forge', 'echo "GraphQL: Could not resolve to an Issue" >&2; exit 1'],
    ['not_logged_in', 'echo "please run: gh auth login" >&2; exit 4'],
    ['rate_limited', 'echo "API rate limit exceeded" >&2; exit 1'],
  ])('%s: nothing is run', async (code, script) => {
    standIn(path.join(base, 'bin'), 'gh', script);
    const ended = await at.robosmith('run', '--issue', '12', '--trust', '--json');
    expect(ended.code).toBe(2);
    expect(JSON.parse(ended.out)).toMatchObject({ ok: false, error: { code } });
    expect(await at.sessions()).toEqual([]);
  });

  test('without trust the remote is not asked; the list says what would be pushed', async () => {
    const { code, out, err } = await at.robosmith('run', '--issue', '12');
    expect(code).toBe(2);
    expect(`${out}${err}`).toContain("push the session's branch to origin, and open or update its pull request");
    expect(gh.calls()).toEqual([]);
  });

  test.each([
    [['--issue', '12', '--pull-request', '7'], "--issue and --pull-request can't be combined."],
    [['--pull-request', '7', '--session', 'x'], "--pull-request and --session can't be combined."],
    [['--issue', '12', '--show-prompt'], "--issue and --show-prompt can't be combined."],
    [['--issue=--web'], '--issue takes a number, not "--web".'],
  ])('%j is refused', async (flags, message) => {
    const { code, err } = await at.robosmith('run', ...flags);
    expect([code, err.includes(message)]).toEqual([2, true]);
  });

  test('without a remote', async () => {
    at.git('remote', 'remove', 'origin');
    const { code, err } = await at.robosmith('run', '--issue', '12', '--trust');
    expect([code, err.includes('There is no remote origin here.')]).toEqual([2, true]);
  });

  test('outside of a session Internal:PullRequest fails with the reason', async () => {
    const { out } = await at.robosmith('run', 'Propose', '--in', '.', '--trust', '--json');
    const { reason, data } = JSON.parse(out) as Ran;
    expect([reason, data.payload.at(-1)?.content]).toEqual([
      'halted',
      'There is no pull request (no_session): the run works in no session, so it has no branch. Start it without --in',
    ]);
    expect(gh.calls()).toEqual([]);
  });
});
