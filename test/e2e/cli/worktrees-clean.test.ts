import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { RUN } from './durable.ts';
import { nextCommands } from './robosmith.ts';
import type { CleaningItem } from './session-documents.ts';
import { gitProject, type GitProject } from './git-project.ts';

let at: GitProject;
beforeEach(async () => {
  at = await gitProject();
});
afterEach(() => at.remove());

interface Found {
  readonly goes: readonly CleaningItem[];
  readonly stays: readonly CleaningItem[];
}
const found = () => at.json<Found>('worktrees');
const namesOf = (items: readonly CleaningItem[]) => items.map(({ name }) => name);

/** Deletes the list of sessions but keeps the worktrees. */
const loseSessions = (): void => rmSync(at.file('.flow/sessions.json'));

test('nothing to do', async () => {
  await at.session('Docs');
  expect((await at.robosmith('worktrees')).out).toBe('No worktree has problems.\n');
  const { out, code } = await at.robosmith('worktrees', 'clean');
  expect([out, code]).toEqual(['Nothing to remove.\n', 0]);
});

test('it lists, asks, and removes what has no work in it', async () => {
  verifies('worktrees.clean', 'cli.sessions', 'worktrees.nothing-lost');
  const [empty, full] = [await at.session('Empty'), await at.session('Full')];
  writeFileSync(path.join(full.worktree, 'new.txt'), 'x');
  loseSessions();
  const { goes, stays } = await found();
  expect([namesOf(goes), namesOf(stays)]).toEqual([[empty.worktree], [full.worktree]]);
  const asked = await at.robosmith('worktrees', 'clean');
  expect([asked.code, existsSync(empty.worktree)]).toEqual([2, true]);
  expect(asked.out).toContain('To be removed:');
  const [next = []] = nextCommands(asked.err);
  expect(next).toEqual(['worktrees', 'clean', '--yes']);
  const { out, code } = await at.robosmith(...next);
  expect([code, out]).toEqual([0, expect.stringContaining('1 of 1 removed.')]);
  expect(out).toContain('1 file not tracked by git: new.txt');
  expect([existsSync(empty.worktree), existsSync(path.join(full.worktree, 'new.txt'))]).toEqual([false, true]);
  expect(at.git(['branch', '--list', empty.branch])).toBe('');
  expect(at.git(['branch', '--list', full.branch])).toContain(full.branch);
  const again = await at.json<{ readonly gone: readonly CleaningItem[] }>('worktrees', 'clean', '--yes');
  expect(again.gone).toEqual([]);
  expect(out).toContain(`robosmith sessions new <title> --attach ${full.branch} makes a session of it`);
  const session = await at.session('Again', '--attach', full.branch);
  expect(session.worktree).toBe(full.worktree);
});

test('a moved worktree is followed, a lost one is marked as failed', async () => {
  verifies('worktrees.reconcile');
  const [moved, lost] = [await at.session('Moved'), await at.session('Lost')];
  const to = path.join(path.dirname(moved.worktree), 'elsewhere');
  renameSync(moved.worktree, to);
  at.git(['worktree', 'remove', '--force', '--force', lost.worktree]);
  at.git(['branch', '--delete', '--force', lost.branch]);
  expect(namesOf((await found()).goes)).toEqual([lost.id]);
  const { code, err } = await at.robosmith('worktrees', 'clean', '--yes');
  expect([code, err]).toEqual([0, expect.stringContaining('the session now uses that folder')]);
  expect((await at.robosmith('sessions', 'show', moved.id)).out).toContain('elsewhere');
  expect((await at.robosmith('sessions', 'show', lost.id)).out).toContain('state     failed; ');
  expect(await found()).toMatchObject({ goes: [], stays: [] });
});

test('while another process owns the engine, that process removes them', async () => {
  const { worktree } = await at.session('Empty');
  loseSessions();
  writeFileSync(at.file('hold-A'), '');
  const running = await at.until('A said it', ...RUN, '--jsonl');
  const { code, err } = await at.robosmith('worktrees', 'clean', '--yes');
  expect([code, err, existsSync(worktree)]).toEqual([0, '', false]);
  expect(namesOf((await found()).goes)).toEqual([]);
  rmSync(at.file('hold-A'));
  await running.ended;
});

test('no repository, a wrong word: each is said with the next step', async () => {
  const wrong = await at.robosmith('worktrees', 'claen');
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('"clean"')]);
  renameSync(at.file('.git'), at.file('git-away'));
  const { code, err } = await at.robosmith('worktrees', 'clean', '--yes');
  expect([code, err]).toEqual([1, expect.stringContaining('git init')]);
});

test('doctor has a line for it', async () => {
  verifies('cli.doctor');
  await at.session('Docs');
  expect((await at.robosmith('doctor')).out).toContain('1 session, no worktree has problems');
  loseSessions();
  const { out } = await at.robosmith('doctor');
  expect(out).toContain('1 worktree has problems');
  expect(out).toContain('robosmith worktrees');
});
