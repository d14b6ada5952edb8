import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';

/** A session whose worktree a person has taken away from its branch: with a detached HEAD, or on another branch. */
let bench: SessionBench;
let session: Session & { readonly worktree: string };
beforeEach(async () => {
  bench = await newSessionBench();
  session = await bench.session('Off');
});
afterEach(() => bench.end());

const git = (...args: readonly string[]): string => bench.repository.git(args, session.worktree);
const commit = (name: string): string => {
  writeFileSync(path.join(session.worktree, name), `${name}\n`);
  return bench.repository.commit(name, session.worktree);
};

/** Returns whether a ref, and not only a reflog, has the commit. */
const isKept = (hash: string): boolean => bench.repository.git(['rev-list', '--all']).split('\n').includes(hash);

/** Runs the first command that a message has between backticks, as a person would. */
function follow(message: string): void {
  const [, command = 'false'] = /`([^`]+)`/.exec(message) ?? [];
  execFileSync('sh', ['-c', command], { cwd: session.worktree, stdio: 'pipe' });
}

const merge = (id: SessionId) => bench.sessions.api.merge(id, { strategy: 'squash', message: null, verify: false });

describe('commits on a detached HEAD', () => {
  test('are named by every refusal, and the advised command keeps them on the branch', async () => {
    git('switch', '--quiet', '--detach');
    const hash = commit('own.txt');
    const refused = await merge(session.id);
    if (refused.ok) throw new Error('it was merged');
    expect(refused.why).toContain(`${hash.slice(0, 7)} own.txt`);
    expect(refused.why).toContain(`git switch -C ${session.branch}`);
    follow(refused.why);
    expect(await merge(session.id)).toMatchObject({ ok: true });
    expect(existsSync(path.join(bench.repository.root, 'own.txt'))).toBe(true);
  });

  test('get a branch of their own if the branch has other commits', async () => {
    git('switch', '--quiet', '--detach');
    const hash = commit('own.txt');
    bench.repository.git(['update-ref', `refs/heads/${session.branch}`, bench.repository.commit('Elsewhere')]);
    const refused = await merge(session.id);
    if (refused.ok) throw new Error('it was merged');
    follow(refused.why);
    expect(bench.repository.git(['branch', '--format=%(refname:short)', '--contains', hash])).toBe(
      `${session.branch}-${hash.slice(0, 8)}`,
    );
  });

  test('outlive a discard after a plain switch, and a restore says where they are', async () => {
    git('switch', '--quiet', '--detach');
    const hash = commit('own.txt');
    git('switch', '--quiet', session.branch);
    expect(await bench.sessions.api.discard(session.id, { force: true })).toMatchObject({ ok: true });
    expect(isKept(hash)).toBe(true);
    const restored = await bench.sessions.api.restore(session.id);
    if (!restored.ok) throw new Error(restored.why);
    const [, command = ''] = /`(git branch [^`]+)`/.exec(restored.notes.join('\n')) ?? [];
    execFileSync('sh', ['-c', command.replace('<name>', 'mine')], { cwd: bench.repository.root });
    expect(bench.repository.git(['rev-parse', 'mine'])).toBe(hash);
  });

  test('count as work that a discard asks about, and it keeps them with the uncommitted files', async () => {
    git('switch', '--quiet', '--detach');
    const hash = commit('own.txt');
    writeFileSync(path.join(session.worktree, 'new.txt'), 'new\n');
    expect(await bench.sessions.api.discard(session.id, { force: false })).toMatchObject({ ok: false });
    expect(await bench.sessions.api.discard(session.id, { force: true })).toMatchObject({ ok: true });
    expect(existsSync(session.worktree)).toBe(false);
    expect(isKept(hash)).toBe(true);
    const blobs = bench.repository.git(['rev-list', '--objects', '--all']);
    expect(blobs).toContain(' new.txt');
  });
});

const abandoned: readonly (readonly [string, () => string])[] = [
  [
    'amended away',
    () => {
      const hash = commit('own.txt');
      git('commit', '--quiet', '--amend', '--message=Other');
      return hash;
    },
  ],
  [
    'reset away',
    () => {
      const hash = commit('own.txt');
      git('reset', '--quiet', '--hard', 'HEAD~1');
      return hash;
    },
  ],
  [
    'of a rebase in progress',
    () => {
      bench.repository.put('a.txt', 'main\n');
      bench.repository.commit('Main');
      const first = commit('first.txt');
      writeFileSync(path.join(session.worktree, 'a.txt'), 'own\n');
      bench.repository.commit('Conflict', session.worktree);
      bench.repository.tryGit(['rebase', '--quiet', 'main'], session.worktree);
      return first;
    },
  ],
  [
    'made during a bisect',
    () => {
      const good = git('rev-parse', 'HEAD');
      for (const name of ['1', '2', '3', '4']) commit(name);
      git('bisect', 'start', 'HEAD', good);
      return commit('fix.txt');
    },
  ],
  [
    'made on a branch that was deleted',
    () => {
      git('switch', '--quiet', '--create', 'other');
      const hash = commit('own.txt');
      git('switch', '--quiet', session.branch);
      git('branch', '--quiet', '--delete', '--force', 'other');
      return hash;
    },
  ],
  [
    'of an autostash',
    () => {
      bench.repository.put('a.txt', 'main\n');
      bench.repository.commit('Main');
      writeFileSync(path.join(session.worktree, 'a.txt'), 'own\n');
      bench.repository.commit('Conflict', session.worktree);
      writeFileSync(path.join(session.worktree, 'src/b.txt'), 'edited\n');
      bench.repository.tryGit(['rebase', '--quiet', '--autostash', 'main'], session.worktree);
      return readFileSync(
        git('rev-parse', '--path-format=absolute', '--git-path', 'rebase-merge/autostash'),
        'utf8',
      ).trim();
    },
  ],
];

test.each(abandoned)('commits %s are kept by a discard', async (_, make) => {
  const hash = make();
  expect(await bench.sessions.api.discard(session.id, { force: true })).toMatchObject({ ok: true });
  expect(existsSync(session.worktree)).toBe(false);
  expect(isKept(hash)).toBe(true);
});

test('commits that were reset away are kept by a merge and by a release', async () => {
  commit('stays.txt');
  const hash = commit('own.txt');
  git('reset', '--quiet', '--hard', 'HEAD~1');
  const merged = await merge(session.id);
  expect([merged.ok, existsSync(session.worktree), isKept(hash)]).toEqual([true, false, true]);
  session = await bench.session('Held');
  const held = commit('held.txt');
  git('reset', '--quiet', '--hard', 'HEAD~1');
  expect(await bench.sessions.api.hold(session.id, { release: true })).toMatchObject({ ok: true });
  expect([existsSync(session.worktree), isKept(held)]).toEqual([false, true]);
});

const refusalOf = (resumed: Promise<unknown>): Promise<string> =>
  resumed.then(
    () => '',
    (thrown: unknown) => (thrown as Error).message,
  );

describe('a session that can not be resumed stays in its state', () => {
  test('another branch is checked out: the advised command helps', async () => {
    git('switch', '--quiet', '--create', 'other');
    commit('own.txt');
    const why = await refusalOf(bench.sessions.api.resume(session.id));
    expect(bench.get(session.id)).toMatchObject({ state: 'ready', why: null });
    follow(why);
    await bench.sessions.api.resume(session.id);
    await bench.sessions.manager.idle();
    expect(bench.get(session.id)).toMatchObject({ state: 'ready', why: null });
  });

  test('its registration is gone: the folder moves away, and the branch is checked out again', async () => {
    const hash = commit('own.txt');
    rmSync(git('rev-parse', '--absolute-git-dir'), { recursive: true });
    const why = await refusalOf(bench.sessions.api.resume(session.id));
    expect(why).toContain('`mv ');
    expect(bench.get(session.id).state).toBe('ready');
    renameSync(session.worktree, `${session.worktree}.away`);
    await bench.sessions.api.resume(session.id);
    await bench.sessions.manager.idle();
    expect(git('rev-parse', 'HEAD')).toBe(hash);
  });
});
