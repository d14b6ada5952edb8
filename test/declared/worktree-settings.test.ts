import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Session } from '#protocol/session.ts';
import { type CommandProject, commandProject } from './a-project.ts';
import { FILES, MANIFEST } from './states.ts';

let at: CommandProject;
afterEach(() => at.remove());

function made(manifest: object): void {
  at = commandProject({ ...FILES, '.vision/workflows.json': { ...MANIFEST, ...manifest } });
  at.git('init', '-q', '-b', 'main');
  at.git('add', '-A');
  at.git('commit', '-qm', 'one');
}

const SET_UP = {
  worktree: { setup: [[process.execPath, '-e', "require('fs').writeFileSync('set-up.txt', '')"]] },
};

async function newSession(...more: readonly string[]): Promise<Session> {
  const { code, out, err } = await at.robosmith('sessions', 'new', 'One', '--json', ...more);
  expect(code, out + err).toBe(0);
  return (JSON.parse(out) as { readonly session: Session }).session;
}

const isSetUp = ({ worktree }: Session): boolean => existsSync(path.join(worktree ?? '', 'set-up.txt'));

test('a session starts from the branch that the manifest names, and --base goes before it', async () => {
  made({ worktree: { base: 'dev' } });
  at.git('branch', 'dev');
  at.git('branch', 'other');
  expect((await newSession()).baseBranch).toBe('dev');
  expect((await newSession('--base', 'other')).baseBranch).toBe('other');
});

test('a worktree that a person works in is set up where the project is trusted, and says so where it is not', async () => {
  made(SET_UP);
  const { out } = await at.robosmith('sessions', 'new', 'Untrusted');
  expect(out.replace(/\s+/g, ' ')).toContain('The commands of "worktree" in the manifest are not run');
  expect(isSetUp(await newSession('--trust'))).toBe(true);
});

test('a manifest with errors makes no session without its worktree settings', async () => {
  made({ ...SET_UP, entry: 'Nowhere' });
  const { code, err } = await at.robosmith('sessions', 'new', 'One');
  expect(code).not.toBe(0);
  expect(err).toContain('the manifest has errors');
  expect(err).toContain('robosmith validate');
});

test.each([['--input', 'text'], ['--script', 'answers.json'], ['--manifest', 'other.json'], ['--step']])(
  '%s is refused for a session that runs nothing',
  async (...flag) => {
    made({});
    const { code, err } = await at.robosmith('sessions', 'new', 'One', ...flag);
    expect([code, err]).toEqual([2, expect.stringContaining('is for a session that runs a node') as string]);
  },
);

test('a merge tests the merged files once the base has moved, with the trust of the user or not at all', async () => {
  made({ commands: { test: [process.execPath, '-e', "process.exit(require('fs').existsSync('bad.txt') ? 1 : 0)"] } });
  const { id, worktree } = await newSession();
  at.writeAt(worktree ?? '', 'own.txt', 'own\n');
  at.write('bad.txt', '');
  at.git('add', '-A');
  at.git('commit', '-qm', 'two');
  const untrusted = await at.robosmith('sessions', 'merge', id);
  expect(untrusted.code).toBe(2);
  expect(untrusted.err).toContain(`robosmith sessions merge ${id} --trust`);
  expect(untrusted.err).toContain(`robosmith sessions merge ${id} --no-verify`);
  const failing = await at.robosmith('sessions', 'merge', id, '--trust');
  expect(failing.code).toBe(1);
  expect(failing.err).toContain('the tests fail on the merged tree');
  expect((await at.robosmith('sessions', 'merge', id, '--no-verify')).code).toBe(0);
});

test('a merge onto a base that has not moved runs no test, and needs no trust', async () => {
  made({ commands: { test: [process.execPath, '-e', 'process.exit(1)'] } });
  const { id, worktree } = await newSession();
  at.writeAt(worktree ?? '', 'own.txt', 'own\n');
  expect((await at.robosmith('sessions', 'merge', id)).code).toBe(0);
});

test('a run that its session has not begun is named with what starts it', async () => {
  made({});
  const { id, title } = await newSession();
  const list = JSON.parse(at.read('.flow/sessions.json')) as { readonly sessions: readonly Session[] };
  const sessions = list.sessions.map((one) => ({ ...one, runs: ['r0123456789ab'] }));
  at.write('.flow/sessions.json', { ...list, sessions });
  for (const command of [['resume'], ['runs', 'show']]) {
    const { code, err } = await at.robosmith(...command, 'r0123456789ab');
    expect(code).toBe(2);
    expect(err.replaceAll(/\s+/g, ' ')).toContain(
      `r0123456789ab has not started yet. Its session ${id} "${title}" starts it`,
    );
    expect(err).toContain(`  robosmith sessions show ${id}\n`);
  }
});
