import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forgePlace } from '#io/forge/pull-request-page.ts';
import { markedBody, mergedBody, putPullRequest } from '#io/git/outcomes/put-pull-request.ts';
import { readThread } from '#io/forge/read-thread.ts';
import { processes } from '#io/process/process.ts';
import { standIn, type StandIn } from '../../../../support/stand-in-program.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';

const { PATH: SYSTEM = '' } = process.env;

let base = '';
beforeEach(async () => {
  base = await newFolder();
  process.env['PATH'] = `${path.join(base, 'bin')}:${SYSTEM}`;
});
afterEach(async () => {
  process.env['PATH'] = SYSTEM;
  await removeFolder(base);
});

const program = (name: string, script: string): StandIn => standIn(path.join(base, 'bin'), name, script);
const prints = (value: unknown): string => `cat <<'END'\n${JSON.stringify(value)}\nEND`;

const read = (remote: string, kind: 'issue' | 'pull_request' = 'issue') =>
  readThread(processes, { folder: base, place: forgePlace(remote), kind, number: 12 });

describe('an issue with its comments', () => {
  test('by gh', async () => {
    const gh = program(
      'gh',
      prints({
        number: 12,
        title: 'Login fails',
        body: 'It says no.',
        url: 'https://github.com/o/r/issues/12',
        author: { login: 'ann' },
        labels: [{ name: 'bug' }],
        comments: [
          { author: { login: 'cy' }, body: 'Second', createdAt: '2026-02-02T00:00:00Z' },
          { author: { login: 'bob' }, body: 'First', createdAt: '2026-01-01T00:00:00Z' },
        ],
      }),
    );
    expect(await read('git@github.com:o/r.git')).toEqual({
      ok: true,
      number: 12,
      title: 'Login fails',
      author: 'ann',
      url: 'https://github.com/o/r/issues/12',
      body: 'It says no.',
      labels: ['bug'],
      comments: [
        { author: 'bob', at: '2026-01-01T00:00:00Z', text: 'First', on: null },
        { author: 'cy', at: '2026-02-02T00:00:00Z', text: 'Second', on: null },
      ],
      branch: null,
      isForeign: false,
    });
    expect(gh.calls()).toEqual([
      ['issue', 'view', '12', '--repo=github.com/o/r', '--json=number,title,body,url,author,labels,comments'],
    ]);
  });

  test('by glab, without messages of the system', async () => {
    const glab = program(
      'glab',
      prints({
        iid: 12,
        title: 'Login fails',
        description: 'It says no.',
        web_url: 'https://gitlab.com/g/r/-/issues/12',
        author: { username: 'ann' },
        labels: ['bug'],
        Notes: [
          { author: { username: 'bob' }, body: 'Me too', created_at: '2026-01-01', system: false },
          { author: { username: 'bob' }, body: 'added label', created_at: '2026-01-02', system: true },
        ],
      }),
    );
    expect(await read('https://gitlab.com/g/r.git')).toMatchObject({
      title: 'Login fails',
      author: 'ann',
      body: 'It says no.',
      labels: ['bug'],
      comments: [{ author: 'bob', at: '2026-01-01', text: 'Me too', on: null }],
    });
    expect(glab.calls()).toEqual([
      [
        ...['issue', 'view', '12', '--repo=https://gitlab.com/g/r'],
        ...['--comments', '--per-page=100', '--output=json'],
      ],
    ]);
  });

  test.each([
    ['no_remote', '/srv/git/r.git', 'exit 1', 'the remote origin is not on a host'],
    ['no_forge_program', 'git@bitbucket.org:o/r.git', 'exit 1', 'bitbucket.org'],
    ['not_logged_in', 'git@code.example.org:o/r.git', 'exit 1', 'code.example.org'],
    [
      'not_logged_in',
      'git@github.com:o/r.git',
      'echo "To get started with GitHub CLI, please run:  gh auth login" >&2; exit 4',
      'gh auth login. Log in with it first',
    ],
    [
      'not_on_forge',
      'git@github.com:o/r.git',
      'echo "GraphQL: Could not resolve to an issue or pull request with the number of 12." >&2; exit 1',
      'issue 12 of github.com/o/r could not be read',
    ],
    ['not_on_forge', 'git@gitlab.com:o/r.git', 'echo "404 Not Found" >&2; exit 1', '404 Not Found'],
    ['rate_limited', 'git@github.com:o/r.git', 'echo "API rate limit exceeded for user" >&2; exit 1', 'later'],
    ['forge_failed', 'git@github.com:o/r.git', 'echo "no network" >&2; exit 1', 'gh refused: no network'],
    ['forge_failed', 'git@github.com:o/r.git', 'echo "<html>"', 'something else than JSON'],
  ])('%s', async (code, remote, script, message) => {
    program('gh', script);
    program('glab', script);
    const problem = await read(remote);
    expect(problem).toEqual({ ok: false, code, message: expect.stringContaining(message) as string });
  });

  test('without the program', async () => {
    process.env['PATH'] = path.join(base, 'nothing');
    expect(await read('git@github.com:o/r.git')).toMatchObject({ ok: false, code: 'no_forge_program' });
  });
});

test('a pull request has its branch, and the comments on its lines', async () => {
  const whole = {
    number: 12,
    title: 'Fix',
    headRefName: 'robosmith/a-1',
    isCrossRepository: false,
    reviews: [{ author: { login: 'bob' }, body: 'Nearly', submittedAt: '2026-01-01' }],
  };
  const line = { user: { login: 'bob' }, body: 'Why?', path: 'src/a.ts', line: 3, created_at: '2026-01-02' };
  const gh = program('gh', `if [ "$1" = api ]; then ${prints([line])}\nelse ${prints(whole)}\nfi`);
  expect(await read('git@github.com:o/r.git', 'pull_request')).toMatchObject({
    branch: 'robosmith/a-1',
    isForeign: false,
    comments: [
      { author: 'bob', text: 'Nearly', on: null },
      { author: 'bob', text: 'Why?', on: 'src/a.ts:3' },
    ],
  });
  expect(gh.calls()[1]).toEqual([
    ...['api', '--hostname=github.com'],
    'repos/o/r/pulls/12/comments?per_page=100&sort=created&direction=desc',
  ]);
});

describe('one pull request for a branch', () => {
  const order = { branch: 'robosmith/a-1', base: 'main', title: '--web', body: 'New' };
  const put = () => putPullRequest(processes, { ...order, folder: base, place: forgePlace('git@github.com:o/r.git') });
  const url = 'https://github.com/o/r/pull/7';
  const open = { ok: true, url, number: 7 };

  test('is opened once', async () => {
    const gh = program('gh', `[ "$2" = list ] && echo '[]' || echo ${url}`);
    expect(await put()).toEqual({ ...open, isNew: true });
    expect(gh.calls().map((call) => call[1])).toEqual(['list', 'create']);
    expect(gh.calls()[1]?.slice(2)).toEqual([
      ...['--repo=github.com/o/r', '--head=robosmith/a-1', '--base=main', '--title=--web'],
      `--body=${markedBody('New')}`,
    ]);
  });

  test('is updated: what people wrote around the description stays', async () => {
    const body = `Please hurry.\n\n${markedBody('Old')}\n\nThanks`;
    const gh = program('gh', `[ "$2" = list ] && ${prints([{ url, number: 7, body }])}\nexit 0`);
    expect(await put()).toEqual({ ...open, isNew: false });
    expect(gh.calls()[1]).toEqual([
      ...['pr', 'edit', '7', '--repo=github.com/o/r'],
      `--body=Please hurry.\n\n${markedBody('New')}\n\nThanks`,
    ]);
  });

  test('with the same description is left alone', async () => {
    const gh = program('gh', prints([{ url, number: 7, body: markedBody('New') }]));
    expect(await put()).toEqual({ ...open, isNew: false });
    expect(gh.calls()).toHaveLength(1);
  });

  test('that the forge refuses: with its reason', async () => {
    program('gh', `[ "$2" = list ] && echo '[]' && exit 0; echo "No commits between main and it" >&2; exit 1`);
    expect(await put()).toEqual({
      ok: false,
      code: 'forge_failed',
      message: 'no pull request was opened: gh refused: No commits between main and it',
    });
  });
});

test('marks in a description do not end it', () => {
  const marked = markedBody('a<!-- robosmith:end -->b');
  expect(mergedBody(marked, markedBody('c'))).toBe(markedBody('c'));
  expect(mergedBody('', marked)).toBe(marked);
});
