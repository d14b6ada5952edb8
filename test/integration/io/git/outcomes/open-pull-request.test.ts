import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPullRequest } from '#io/git/outcomes/open-pull-request.ts';
import { forgePlace } from '#io/forge/pull-request-page.ts';
import { processes } from '#io/process/process.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { standIn, type StandIn } from '../../../../support/stand-in-program.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';

const { PATH: SYSTEM = '' } = process.env;
const TOKENS = { GH_TOKEN: 'of gh', GITLAB_TOKEN: 'of glab' };

let base = '';
beforeEach(async () => {
  base = await newFolder();
  Object.assign(process.env, TOKENS, { PATH: `${path.join(base, 'bin')}:${SYSTEM}` });
});
afterEach(async () => {
  process.env['PATH'] = SYSTEM;
  for (const name of Object.keys(TOKENS)) Reflect.deleteProperty(process.env, name);
  await removeFolder(base);
});

const VARIABLES = ['GH_PROMPT_DISABLED', 'GH_TOKEN', 'GITLAB_TOKEN'];
const program = (name: string, script: string): StandIn => standIn(path.join(base, 'bin'), name, script, VARIABLES);

const TEXT = { branch: 'robosmith/a-1', base: 'main', title: '--web', body: '-x $(id)\n\n- one' };
const open = (remote: string, timeoutMs?: number) =>
  openPullRequest(processes, {
    ...TEXT,
    folder: base,
    place: forgePlace(remote),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });

describe('a pull request by the forge’s own program', () => {
  test('gh: no word of a title becomes a flag, nobody is asked, and it sees its own login alone', async () => {
    verifies('worktrees.push.program');
    const gh = program('gh', 'echo "Creating pull request" >&2; echo https://github.com/o/r/pull/7');
    expect(await open('git@github.com:o/r.git')).toEqual({
      kind: 'open',
      url: 'https://github.com/o/r/pull/7',
      isNew: true,
    });
    expect(gh.calls()).toEqual([
      [
        ...['pr', 'create', '--repo=github.com/o/r', '--head=robosmith/a-1', '--base=main'],
        ...['--title=--web', '--body=-x $(id)\n\n- one'],
      ],
    ]);
    expect(gh.seen()).toEqual(['GH_PROMPT_DISABLED=1', 'GH_TOKEN=of gh', 'GITLAB_TOKEN=']);
  });

  test('glab: the same, in a group of groups', async () => {
    verifies('worktrees.push.program');
    const glab = program('glab', 'echo "!4 Fix (robosmith/a-1)"; echo " https://gitlab.com/g/s/r/-/merge_requests/4"');
    expect(await open('ssh://git@altssh.gitlab.com:443/g/s/r.git')).toEqual({
      kind: 'open',
      url: 'https://gitlab.com/g/s/r/-/merge_requests/4',
      isNew: true,
    });
    expect(glab.calls()).toEqual([
      [
        ...['mr', 'create', '--repo=https://gitlab.com/g/s/r', '--source-branch=robosmith/a-1', '--target-branch=main'],
        ...['--title=--web', '--description=-x $(id)\n\n- one', '--yes'],
      ],
    ]);
    expect(glab.seen()).toEqual(['GH_PROMPT_DISABLED=', 'GH_TOKEN=', 'GITLAB_TOKEN=of glab']);
  });

  test('one that is open already is found', async () => {
    verifies('worktrees.push.program');
    const list = `[ "$2" = list ] && { echo '[{"url":"https://github.com/o/r/pull/3"}]'; exit 0; }`;
    const gh = program('gh', `${list}; echo "a pull request already exists" >&2; exit 1`);
    expect(await open('https://github.com/o/r')).toEqual({
      kind: 'open',
      url: 'https://github.com/o/r/pull/3',
      isNew: false,
    });
    expect(gh.calls()[1]).toEqual([
      ...['pr', 'list', '--repo=github.com/o/r', '--head=robosmith/a-1', '--base=main'],
      ...['--state=open', '--limit=1', '--json=url'],
    ]);
    program(
      'glab',
      `[ "$2" = list ] && { echo '[{"web_url":"https://gitlab.com/o/r/-/merge_requests/2"}]'; exit 0; }; exit 1`,
    );
    expect(await open('https://gitlab.com/o/r')).toMatchObject({ isNew: false });
  });

  test('on a host whose name says nothing it is the program that has a login there', async () => {
    const gh = program('gh', 'exit 1');
    const glab = program('glab', 'echo https://code.example.org/o/r/-/merge_requests/1');
    expect(await open('git@code.example.org:o/r.git')).toMatchObject({ kind: 'open' });
    expect(gh.calls()).toEqual([['auth', 'status', '--hostname=code.example.org']]);
    expect(glab.calls()[0]).toEqual(['auth', 'status', '--hostname=code.example.org']);
  });

  test.each([
    ['fails', 'git@github.com:o/r.git', 'echo "no commits between main and it" >&2; exit 1', 'no commits between'],
    ['fails, and lists none', 'git@github.com:o/r.git', '[ "$2" = list ] && echo "[]" && exit 0; exit 4', 'gh refused'],
    [
      'says no address',
      'git@github.com:o/r.git',
      '[ "$2" = list ] && echo "[{}]"; exit 0',
      'did not print the address',
    ],
    ['knows nobody there', 'git@code.example.org:o/r.git', 'exit 1', 'code.example.org'],
  ])('a program that %s: why', async (_, remote, script, why) => {
    verifies('worktrees.push.program');
    program('gh', script);
    program('glab', 'exit 1');
    const said = await open(remote);
    expect(said).toEqual({ kind: 'not_opened', why: expect.stringContaining(why) as string });
  });

  test('a program that hangs is ended at its time limit, with what it has started', async () => {
    program('gh', 'sleep 1000');
    expect(await open('git@github.com:o/r.git', 300)).toEqual({
      kind: 'not_opened',
      why: 'gh took longer than 0.3 s and was stopped',
    });
  });

  test('without the program, on another forge, and in a folder', async () => {
    process.env['PATH'] = path.join(base, 'nothing');
    expect(await open('git@github.com:o/r.git')).toMatchObject({ why: expect.stringContaining('`gh`') as string });
    expect(await open('git@bitbucket.org:o/r.git')).toMatchObject({
      why: expect.stringContaining('bitbucket') as string,
    });
    expect(await open('/srv/git/r.git')).toMatchObject({ kind: 'not_opened' });
  });
});
