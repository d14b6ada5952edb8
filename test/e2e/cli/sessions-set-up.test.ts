import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { MANIFEST, type SessionProject, sessionProject } from './session-project.ts';

let at: SessionProject;
afterEach(() => at.remove());

const node = (code: string): readonly string[] => ['node', '-e', code];

const WITH_WORKTREE = {
  ...MANIFEST,
  worktree: {
    copy: ['.env', 'src/a.txt'],
    setup: [
      node(
        "require('fs').writeFileSync('ready.log', process.env.ROBOSMITH_PORT_0 + ' ' + process.env.ROBOSMITH_PORT_1)",
      ),
    ],
    teardown: [
      node(
        "require('fs').appendFileSync(process.env.ROBOSMITH_MAIN + '/../torn', process.env.ROBOSMITH_PORT_0 + '\\n')",
      ),
    ],
    ports: 2,
  },
};

const worktreeOf = ({ worktree }: { readonly worktree: string | null }): string => worktree ?? '';

test('a worktree comes with its files, its set-up and ports of its own, and is torn down before it goes', async () => {
  verifies('worktrees.create.bootstrap', 'worktrees.create.ports', 'cli.run.session');
  at = await sessionProject(WITH_WORKTREE);
  at.write('.gitignore', '.flow/\n.vision/logs/\n.env\nready.log\n');
  at.git('commit', '-qam', 'Ignore');
  at.write('.env', 'SECRET=1\n');
  at.write('src/a.txt', 'mine, not committed\n');
  at.openGate();
  expect((await at.robosmith('run', 'Fix', '--detach', '--trust')).code).toBe(0);
  expect((await at.robosmith('run', 'Fix', '--session', 'Other', '--detach')).code).toBe(0);
  const [fix, other] = [await at.untilState('Fix', 'ready'), await at.untilState('Other', 'ready')];
  const ports = [fix, other].map((session) =>
    readFileSync(path.join(worktreeOf(session), 'ready.log'), 'utf8').split(' '),
  );
  expect(new Set(ports.flat()).size).toBe(4);
  expect(ports[0]?.map(Number)).toEqual([fix.ports?.first, (fix.ports?.first ?? 0) + 1]);
  expect(readFileSync(path.join(worktreeOf(fix), '.env'), 'utf8')).toBe('SECRET=1\n');
  // A tracked file has the content of the commit, even if `copy` names it.
  expect(readFileSync(path.join(worktreeOf(fix), 'src/a.txt'), 'utf8')).toMatch(/^one\n/);
  at.git('checkout', '-q', 'src/a.txt');
  expect((await at.robosmith('sessions', 'merge', 'Fix')).code).toBe(0);
  expect(existsSync(worktreeOf(fix))).toBe(false);
  expect((await at.robosmith('sessions', 'discard', 'Other', '--force')).code).toBe(0);
  expect(at.read('../torn')).toBe(`${ports[0]?.[0]}\n${ports[1]?.[0]}\n`);
});

test('a worktree that somebody has removed is not torn down', async () => {
  verifies('worktrees.create.bootstrap');
  at = await sessionProject(WITH_WORKTREE);
  at.openGate();
  expect((await at.robosmith('run', 'Fix', '--detach', '--trust')).code).toBe(0);
  const fix = await at.untilState('Fix', 'ready');
  rmSync(worktreeOf(fix), { recursive: true });
  const { code, out, err } = await at.robosmith('sessions', 'discard', 'Fix', '--force');
  expect([code, err, out]).toEqual([0, expect.any(String), expect.not.stringContaining('teardown')]);
});

test('the name of a session goes on with it: another run in the same worktree', async () => {
  verifies('cli.run.session');
  at = await sessionProject();
  at.openGate();
  await at.robosmith('run', 'Fix', '--session', 'Login', '--plan', 'src/a.txt', '--detach', '--trust');
  const first = await at.untilState('Login', 'ready');
  await at.robosmith('run', 'Fix', '--session', 'Login', '--plan', 'docs/**', '--detach');
  const second = await at.untilState('Login', 'ready');
  expect([second.id, second.worktree, second.runs.length]).toEqual([first.id, first.worktree, 2]);
  expect(second.plan).toEqual(['src/a.txt', 'docs/**']);
  expect(readFileSync(path.join(worktreeOf(second), 'src/a.txt'), 'utf8')).toBe('one\nby login\nby login\n');
  const shown = JSON.parse((await at.robosmith('sessions', 'show', 'Login', '--json')).out) as {
    readonly history: readonly { readonly from: string | null; readonly to: string }[];
  };
  const run = ['queued', 'creating', 'running', 'ready'];
  expect(shown.history.map(({ to }) => to)).toEqual(['draft', ...run, ...run]);
  expect((await at.robosmith('sessions', 'show', 'Login')).out).toMatch(/\n {2}history\n(?: {2}\S+ \S+ {2}\w+\n){9}/);
});

test('a branch that is there is worked on, pushed, and outlives its session; the plan says what was not checked', async () => {
  verifies('worktrees.create.attach', 'worktrees.push');
  at = await sessionProject();
  at.git('branch', 'feature/login');
  const remote = path.join(at.folder, '..', 'remote.git');
  at.git('init', '-q', '--bare', remote);
  at.git('remote', 'add', 'origin', remote);
  expect((await at.robosmith('sessions', 'new', 'Login', '--attach', 'feature/login')).code).toBe(0);
  const session = await at.session('Login');
  writeFileSync(path.join(worktreeOf(session), 'b.txt'), 'b\n');
  const pushed = await at.robosmith('sessions', 'push', 'Login');
  expect([pushed.code, (await at.session('Login')).state]).toEqual([0, 'ready']);
  expect(at.gitIn(remote, 'show', 'feature/login:b.txt')).toBe('b\n');
  expect((await at.robosmith('sessions', 'discard', 'Login', '--force')).code).toBe(0);
  expect(at.git('branch', '--format=%(refname:short)')).toBe('feature/login\nmain\n');
});

test('a manifest without isolation makes no session, and says how it is run', async () => {
  verifies('worktrees.create.attach');
  at = await sessionProject({ ...MANIFEST, worktree: { isolation: 'none' } });
  const { code, err } = await at.robosmith('run', 'Fix', '--trust');
  expect([code, err]).toEqual([2, expect.stringContaining('robosmith run Fix --in .')]);
  expect((await at.robosmith('sessions', 'new', 'Fix', '--node', 'Fix', '--trust')).code).toBe(2);
  expect(await at.sessions()).toEqual([]);
  expect(existsSync(`${at.folder}.worktrees`)).toBe(false);
  at.openGate();
  expect((await at.robosmith('run', 'Fix', '--in', '.', '--trust')).code).not.toBe(2);
});
