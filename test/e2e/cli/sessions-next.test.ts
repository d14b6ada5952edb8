import { execSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nextCommands } from './robosmith.ts';
import { type SessionProject, sessionProject } from './session-project.ts';

let at: SessionProject;
let id = '';
let worktree = '';
let branch = '';
beforeEach(async () => {
  at = await sessionProject();
  expect((await at.robosmith('sessions', 'new', 'Alpha')).code).toBe(0);
  const session = await at.session('Alpha');
  ({ id, branch } = session);
  worktree = session.worktree ?? '';
});
afterEach(() => at.remove());

const put = (name: string, text: string): void => writeFileSync(path.join(worktree, name), text);

/** Runs a command that is refused, and returns the commands that it suggests. */
async function refused(...args: readonly string[]): Promise<{ next: readonly string[]; err: string }> {
  const { code, err } = await at.robosmith(...args);
  expect([args, code]).toEqual([args, 1]);
  return { next: nextCommands(err).map((command) => command.join(' ')), err };
}

const listed = async (): Promise<readonly string[]> => {
  const { out, err } = await at.robosmith('sessions');
  return nextCommands(out + err).map((command) => command.join(' '));
};

describe('a refused merge suggests no command that is refused for the same reason', () => {
  test('nothing to merge', async () => {
    expect(await listed()).toEqual([`sessions show ${id}`]);
    const { next } = await refused('sessions', 'merge', 'Alpha');
    expect(next).toEqual([`sessions terminal ${id}`, `sessions discard ${id}`]);
    expect(await listed()).toEqual([`sessions show ${id}`]);
    const shown = await at.robosmith('sessions', 'show', 'Alpha');
    expect(shown.out + shown.err).not.toContain('sessions merge');
  });

  test('files of a person in the base: the same command, once they are away', async () => {
    put('src/a.txt', 'mine\n');
    expect(await listed()).toEqual([`sessions merge ${id}`]);
    at.write('src/a.txt', 'not committed\n');
    const { next } = await refused('sessions', 'merge', 'Alpha');
    expect(next).toEqual([`sessions merge ${id}`]);
    at.git('checkout', '-q', 'src/a.txt');
    expect((await at.robosmith('sessions', 'merge', id)).code).toBe(0);
  });

  test('a conflict: an update', async () => {
    put('src/a.txt', 'mine\n');
    at.write('src/a.txt', 'theirs\n');
    at.git('commit', '-qam', 'theirs');
    const { next } = await refused('sessions', 'merge', 'Alpha');
    expect(next).toEqual([`sessions update ${id}`]);
    expect(await listed()).toEqual([`sessions show ${id}`]);
  });
});

describe('a forced discard that is refused does not suggest itself', () => {
  const AFTER = (): readonly string[] => [`sessions terminal ${id}`, 'worktrees'];

  test('the branch was deleted: the refusal names the commit, and the command that it gives helps', async () => {
    put('new.txt', 'new\n');
    at.gitIn(worktree, 'add', '-A');
    at.gitIn(worktree, 'commit', '-qm', 'work');
    const commit = at.gitIn(worktree, 'rev-parse', 'HEAD').trim();
    at.git('update-ref', '-d', `refs/heads/${branch}`);
    const again = `git branch ${branch} ${commit}`;
    expect((await refused('sessions', 'merge', 'Alpha')).err).toContain(again);
    const { next, err } = await refused('sessions', 'discard', 'Alpha', '--force');
    expect([next, err]).toEqual([AFTER(), expect.stringContaining(again)]);
    execSync(again, { cwd: at.folder });
    expect((await at.robosmith('sessions', 'merge', 'Alpha')).code).toBe(0);
    expect(at.read('new.txt')).toBe('new\n');
  });

  test('its HEAD is detached: everything is kept, and the plain discard asks for --force', async () => {
    put('new.txt', 'new\n');
    at.gitIn(worktree, 'checkout', '-q', '--detach');
    at.gitIn(worktree, 'add', '-A');
    at.gitIn(worktree, 'commit', '-qm', 'work');
    const commit = at.gitIn(worktree, 'rev-parse', 'HEAD').trim();
    const asked = await at.robosmith('sessions', 'discard', 'Alpha');
    expect([asked.code, nextCommands(asked.err)]).toEqual([2, [['sessions', 'discard', id, '--force']]]);
    expect((await at.robosmith('sessions', 'discard', 'Alpha', '--force')).code).toBe(0);
    expect(at.git('rev-list', '--all')).toContain(commit);
  });
});
