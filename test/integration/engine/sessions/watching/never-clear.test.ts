import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectInbox } from '#engine/sessions/views/project-inbox.ts';
import { projectSessions } from '#engine/sessions/views/list-sessions.ts';
import { newSessionBench, type SessionBench } from '../session-bench.ts';
import { writes } from '../session-rows.ts';

/** `Clear` is said only of work that was compared. */
let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const limits = { healthMs: 60_000, conflictsMs: 60_000 };
const listed = async () =>
  (await projectSessions(bench.repository.root, { limits })).map(({ session, overlap, conflicts }) => [
    session.title,
    overlap,
    conflicts?.map(({ with: met }) => met.title) ?? null,
  ]);

test('a session that conflicts with its moved base clashes, and the inbox does not advise its merge', async () => {
  const [one, other] = [await bench.session('one'), await bench.session('other')];
  for (const session of [one, other])
    await bench.run(session, { A: writes(session.worktree, 'a.txt', `${session.title}\n`) });
  const merged = await bench.sessions.api.merge(one.id, { strategy: 'squash', message: null, verify: false });
  expect(merged.ok).toBe(true);
  expect((await listed()).at(-1)).toEqual(['other', 'Clash', ['main']]);
  // Only work that a workflow has ended waits for a person.
  bench.close();
  const file = path.join(bench.repository.root, '.flow/sessions.json');
  const job = { start: { node: 'Main' }, manifest: file, input: null, script: null, stepMode: false };
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"job": null', `"job": ${JSON.stringify(job)}`));
  const { sessions } = await projectInbox(bench.repository.root);
  const [item] = sessions.filter(({ session }) => session === other.id);
  expect(item?.why).toContain('Clash with main: a.txt');
  expect(item?.answers.some((answer) => answer.includes('sessions merge'))).toBe(false);
});

test('commits that cancel each other out conflict as well', async () => {
  const [one, other] = [await bench.session('one'), await bench.session('other')];
  const write = (worktree: string, text: string): string => {
    writeFileSync(path.join(worktree, 'a.txt'), text);
    return bench.repository.commit(text, worktree);
  };
  const git = (worktree: string, ...args: readonly string[]): string => bench.repository.git(args, worktree);
  // A criss-cross history: each side has merged an earlier commit of the other one.
  const [x, y] = [write(one.worktree, 'x\n'), write(other.worktree, 'y\n')];
  bench.repository.tryGit(['merge', '--quiet', y], one.worktree);
  write(one.worktree, 'a\n');
  bench.repository.tryGit(['merge', '--quiet', x], other.worktree);
  write(other.worktree, 'z\n');
  expect(git(one.worktree, 'diff', '--name-only', 'main')).toBe('');
  const real = (() => {
    try {
      git(one.worktree, 'merge-tree', '--write-tree', 'HEAD', other.branch);
      return 'clean';
    } catch {
      return 'conflict';
    }
  })();
  const [, overlap] = (await listed())[0] ?? [];
  expect([real, overlap]).toEqual(['conflict', 'Clash']);
});

test('edits that flags of the index hide count like others', async () => {
  const [one, other] = [await bench.session('one'), await bench.session('other')];
  bench.repository.git(['update-index', '--assume-unchanged', 'a.txt'], one.worktree);
  bench.repository.git(['update-index', '--skip-worktree', 'a.txt'], other.worktree);
  for (const { title, worktree } of [one, other]) writeFileSync(path.join(worktree, 'a.txt'), `${title}\n`);
  const seen = await projectSessions(bench.repository.root, { limits });
  expect(seen.map(({ overlap, health }) => [overlap, health.reason])).toEqual([
    ['Clash', 'uncommitted: 1 changed'],
    ['Clash', 'uncommitted: 1 changed'],
  ]);
});

test('work by hand is compared by the next list, without a block and without a host', async () => {
  const [one, other] = [await bench.session('one'), await bench.session('other')];
  writeFileSync(path.join(one.worktree, 'one.ts'), 'export const one = 1;\n');
  bench.repository.commit('One', one.worktree);
  writeFileSync(path.join(other.worktree, 'other.ts'), 'export const other = 1;\n');
  expect((await listed()).map(([, overlap]) => overlap)).toEqual(['Unchecked', 'Unchecked']);
  bench.close();
  await expect
    .poll(
      async () => {
        const all = await projectSessions(bench.repository.root, { limits, environment: process.env });
        return all.map(({ overlap }) => overlap);
      },
      { timeout: 240_000, interval: 500 },
    )
    .toEqual(['Clear', 'Clear']);
});

test('an engine compares work by hand once it looks, and again after an edit', async () => {
  const [one, other] = [await bench.session('one'), await bench.session('other')];
  const conflicts = (): number | undefined => bench.sessions.conflicts()?.length;
  writeFileSync(path.join(one.worktree, 'a.txt'), 'one\n');
  writeFileSync(path.join(other.worktree, 'a.txt'), 'one\n');
  await bench.sessions.refreshAll();
  expect(conflicts()).toBe(0);
  // The same file has another content now, so the list of changed files is as before.
  writeFileSync(path.join(other.worktree, 'a.txt'), 'other\n');
  await bench.sessions.refreshAll();
  expect(conflicts()).toBe(1);
});
