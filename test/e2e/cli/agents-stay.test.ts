import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, utimes } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { isAlive } from '../../support/is-alive.ts';
import { until } from '../../support/until.ts';
import { fakeCommand, homeOf, plan, startsIn, type Style } from '../../support/agents/agent-project.ts';
import { agentManifest, callRecords, commitAll } from './agent-setting.ts';
import { type DurableProject, durableProject, RUN } from './durable.ts';
import { ended, start, to } from './robosmith.ts';

let here: DurableProject;
afterEach(() => here.remove());

async function set(style: Style, files: Readonly<Record<string, string>> = {}, worker: object = {}): Promise<void> {
  here = await durableProject({ 'src/a.txt': 'broken\n', '.gitignore': '.flow/\n.vision/logs/\n.env\n', ...files });
  await mkdir(homeOf(here.folder));
  await here.write(
    '.vision/workflows.json',
    agentManifest({ preset: style, command: fakeCommand(style, here.folder), ...worker }),
  );
  commitAll(here.folder);
}

const DONE = { answer: 'All done.\nSIGNAL:SUCCESS' };

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: here.folder, encoding: 'utf8' }).trim();

test.each<Style>(['claude', 'codex', 'gemini'])(
  '%s: an answer counts, also if the program does not end after it',
  async (style) => {
    await set(style);
    await plan(here.folder, { ...DONE, stays: true });
    const { code, err } = await here.robosmith(...RUN);
    expect([code, err]).toEqual([0, expect.stringContaining('SUCCESS')]);
    expect(isAlive(startsIn(here.folder)[0]?.pid ?? 0)).toBe(false);
    expect(await callRecords(here)).toMatchObject([{ outcome: 'ok' }]);
  },
);

test("no file of the project chooses gemini's endpoint, proxy or programs", async () => {
  await set('gemini', { '.env': 'GOOGLE_GEMINI_BASE_URL=http://x.example\nexport LD_PRELOAD : "./x.so"\n' });
  await plan(here.folder, DONE);
  expect((await here.robosmith(...RUN)).code).toBe(0);
  expect(startsIn(here.folder)[0]?.env).toMatchObject({
    GOOGLE_GEMINI_BASE_URL: '',
    GOOGLE_VERTEX_BASE_URL: '',
    CODE_ASSIST_ENDPOINT: 'https://cloudcode-pa.googleapis.com',
    https_proxy: '',
    GEMINI_SANDBOX: '',
    LD_PRELOAD: '',
  });
});

describe('what an agent leaves', () => {
  test('placeholders of a sandbox are removed, and do not fail the block', async () => {
    await set('claude');
    await plan(here.folder, {
      files: {
        'src/a.txt': 'fixed\n',
        '.git/config.worktree': '',
        '.claude/.cc-writes': '',
        '.bashrc': '',
        '.agents': { folder: true },
      },
      ...DONE,
    });
    const { code, err } = await here.robosmith(...RUN);
    expect([code, err]).toEqual([0, expect.not.stringContaining('access')]);
    for (const name of ['.git/config.worktree', '.claude', '.bashrc', '.agents'])
      expect([name, existsSync(here.file(name))]).toEqual([name, false]);
    expect(await here.read('src/a.txt')).toBe('fixed\n');
  });

  test('where the block may write everything, mount points are removed, and empty files stay', async () => {
    await set('claude');
    const worker = { preset: 'claude', command: fakeCommand('claude', here.folder) };
    await here.write('.vision/workflows.json', agentManifest(worker, { access: { mode: 'shared' } }));
    const left = 'touch .ripgreprc .zprofile src/empty.py; chmod 444 .ripgreprc .zprofile; mkdir -p .aws src/made';
    await plan(here.folder, { commands: [['sh', '-c', left]], ...DONE });
    const { code, out } = await here.robosmith(...RUN, '--json');
    expect(code).toBe(0);
    expect(out).toContain('src/empty.py');
    expect(out).not.toContain('.ripgreprc');
    const stays = ['.ripgreprc', '.zprofile', '.aws', 'src/empty.py', 'src/made'].filter((one) =>
      existsSync(here.file(one)),
    );
    expect(stays).toEqual(['src/empty.py', 'src/made']);
  });

  test('a file with content in the place of a placeholder is put back, and fails the block', async () => {
    await set('claude');
    await plan(here.folder, { files: { '.claude/settings.json': '{}', '.claude/.cc-writes': '' }, ...DONE });
    const { code, err } = await here.robosmith(...RUN);
    expect([code, err]).toEqual([3, expect.stringContaining('.claude/settings.json is new')]);
    expect(err).not.toContain('.cc-writes');
    expect(existsSync(here.file('.claude'))).toBe(false);
  });

  test('a worktree with a branch fails the block, and is undone; its files and commits are kept', async () => {
    await set('claude');
    await plan(here.folder, {
      commands: [['git', 'worktree', 'add', '-q', '--lock', '-b', 'zz', '.claude/worktrees/zz']],
      ...DONE,
    });
    const tip = git('rev-parse', 'HEAD');
    const { code, err } = await here.robosmith(...RUN);
    expect([code, err]).toEqual([3, expect.stringContaining('.git/worktrees/zz is new')]);
    expect(err).toContain('.git/refs/heads/zz is new');
    expect(git('worktree', 'list', '--porcelain')).not.toContain('zz');
    expect(git('branch', '--list', 'zz')).toBe('');
    expect(git('for-each-ref', '--format=%(objectname)', 'refs/robosmith/rescue/')).toBe(tip);
    expect(existsSync(here.file('.claude'))).toBe(false);
  });
});

test('kill -9: placeholders are removed without a word, and what was written afterwards stays', async () => {
  await set('codex');
  const files = { 'lib/early.txt': 'mine', '.codex': '', '.agents': { folder: true }, 'empty.txt': '' };
  await plan(here.folder, { files, text: 'I am at it', hang: true }, DONE);
  const killed = await here.until('Main', ...RUN);
  await until(() => existsSync(here.file('empty.txt')));
  killed.signal('SIGKILL');
  await killed.ended;
  // A person writes later, also into the file that was empty.
  for (const name of ['notes.txt', 'empty.txt']) {
    await here.write(name, 'kept');
    const later = Date.now() / 1_000 + 60;
    await utimes(here.file(name), later, later);
  }
  const { run } = await here.newest();
  const { err } = await here.robosmith('resume', run);
  expect(err).toContain('lib/early.txt is new');
  expect(err).not.toContain('.codex');
  expect([existsSync(here.file('.codex')), existsSync(here.file('.agents'))]).toEqual([false, false]);
  for (const name of ['notes.txt', 'empty.txt']) {
    expect(err).toContain(name);
    expect(await here.read(name)).toBe('kept');
  }
});

interface Listed {
  readonly sessions: readonly { readonly session: { readonly id: string } }[];
}

/** A node whose agent works below `src`, and whose second block commits. */
const leaking = {
  entry_block: 'Fix',
  blocks: {
    Fix: {
      worker: 'Worker:Agent',
      access: { paths: ['src/**'] },
      transitions: [to('SUCCESS', 'JUMP:Commit'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
    },
    Commit: {
      worker: 'Internal:GitCommit',
      access: { mode: 'shared' },
      transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
    },
  },
};

test('a commit of one of the own keys is refused, by the worker and by the merge of a session', async () => {
  const key = 'Own-Key-0011223344556677';
  await set('claude');
  await here.write(
    '.vision/workflows.json',
    agentManifest({ preset: 'claude', command: fakeCommand('claude', here.folder) }, {}, { Main: leaking }),
  );
  commitAll(here.folder);
  await plan(here.folder, { files: { 'src/env.txt': `KEY=${key}\n` }, ...DONE });
  const run = (...args: readonly string[]) => ended(start(args, here.folder, { GITHUB_TOKEN: key }));
  const { code, err } = await run('run', 'Main', '--session', 'Leak', '--trust');
  expect([code, err]).toEqual([3, expect.stringContaining('known_key')]);
  expect(err).not.toContain(key);
  const [listed] = (JSON.parse((await run('sessions', '--json')).out) as Listed).sessions;
  const { run: id } = await here.newest();
  await run('resume', id, '--abort');
  const merged = await run('sessions', 'merge', listed?.session.id ?? '', '--yes');
  expect([merged.code, merged.err]).toEqual([expect.any(Number), expect.stringContaining('src/env.txt')]);
  expect(merged.code).not.toBe(0);
  expect(git('log', '--branches', '--format=%s', '--', 'src/env.txt')).toBe('');
});

test('a program that does not start says its own reason', async () => {
  await set('claude', {}, { args: ['--append-system-prompt', 'x'.repeat(200_000)] });
  await plan(here.folder, DONE);
  const { err } = await here.robosmith(...RUN);
  expect(err).toContain('longer than this system allows');
  expect(err).not.toContain('To install it');
});

test("the project's rules are in the prompt of each agent, and not where gemini reads its own file", async () => {
  await set('claude', { 'AGENTS.md': 'Write tabs.\n' });
  await plan(here.folder, DONE);
  expect((await here.robosmith(...RUN)).code).toBe(0);
  expect(startsIn(here.folder)[0]?.stdin).toContain('Rules of this project (AGENTS.md)');
  await here.remove();
  await set('claude', { 'AGENTS.md': 'Write tabs.\n' }, { instructions: false });
  await plan(here.folder, DONE);
  expect((await here.robosmith(...RUN)).code).toBe(0);
  expect(startsIn(here.folder)[0]?.stdin).not.toContain('Write tabs.');
  await here.remove();
  await set('gemini', { 'AGENTS.md': 'Write tabs.\n', 'GEMINI.md': 'Write tabs.\n' });
  await plan(here.folder, DONE);
  expect((await here.robosmith(...RUN)).code).toBe(0);
  expect(startsIn(here.folder)[0]?.stdin).not.toContain('Write tabs.');
});
