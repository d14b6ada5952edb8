import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { standIn } from '../../support/stand-in-program.ts';
import { verifies } from '../verifies.ts';
import { MANIFEST, type SessionProject, sessionProject } from './session-project.ts';
import { newFolder, removeFolder } from '../../support/in-folder.ts';

/**
 * A folder next to the project with fake programs and a bare repository. The fake `ssh` connects every remote to this
 * repository.
 */
let base = '';
let at: SessionProject;
beforeEach(async () => {
  base = await newFolder();
  at = await sessionProject(MANIFEST, { PATH: `${path.join(base, 'bin')}:${process.env['PATH'] ?? ''}` });
  const [bare, ssh] = [path.join(base, 'remote.git'), path.join(base, 'ssh')];
  mkdirSync(bare);
  at.gitIn(bare, 'init', '-q', '--bare');
  writeFileSync(ssh, `#!/bin/sh\nexec git receive-pack '${bare}'\n`);
  chmodSync(ssh, 0o755);
  at.git('config', 'core.sshCommand', ssh);
  at.git('config', 'ssh.variant', 'simple');
});
afterEach(async () => {
  await at.remove();
  await removeFolder(base);
});

interface Pushed {
  readonly session: { readonly state: string; readonly branch: string; readonly id: string };
  readonly notes: readonly string[];
}

/** Pushes a session with one commit to this remote. */
async function pushed(remote: string, ...flags: readonly string[]): Promise<Pushed> {
  at.git('remote', 'add', 'origin', remote);
  await at.robosmith('sessions', 'new', '--', '--web now');
  const { worktree } = await at.session('--web now');
  writeFileSync(path.join(worktree ?? '', 'b.txt'), 'b\n');
  at.gitIn(worktree ?? '', 'add', '-A');
  at.gitIn(worktree ?? '', 'commit', '-qm', 'Add b');
  const { code, out, err } = await at.robosmith('sessions', 'push', '--json', ...flags, '--', '--web now');
  expect([code, err]).toEqual([0, '']);
  const result = JSON.parse(out) as Pushed;
  expect(at.gitIn(path.join(base, 'remote.git'), 'log', '-1', '--format=%s', result.session.branch)).toBe('Add b\n');
  expect(result.session.state).toBe('ready');
  return result;
}

describe('sessions push', () => {
  test('without --pr tells the page of a pull request from the branch into its base', async () => {
    verifies('worktrees.push.page', 'worktrees.push');
    const gh = standIn(path.join(base, 'bin'), 'gh', 'exit 1');
    const { session, notes } = await pushed('git@github.com:o/r.git');
    expect(notes[1]).toBe(`open a pull request: https://github.com/o/r/compare/main...${session.branch}?expand=1`);
    expect(gh.calls()).toEqual([]);
  });

  test('--pr opens it with gh: title and commits of the session, into its base', async () => {
    verifies('worktrees.push.program');
    const gh = standIn(path.join(base, 'bin'), 'gh', 'echo https://github.com/o/r/pull/7');
    const { session, notes } = await pushed('git@github.com:o/r.git', '--pr');
    expect(notes.slice(1)).toEqual(['its pull request is https://github.com/o/r/pull/7']);
    expect(gh.calls()).toEqual([
      [
        ...['pr', 'create', '--repo=github.com/o/r', `--head=${session.branch}`, '--base=main'],
        ...['--title=--web now', `--body=--web now\n\n- Add b\n\nRobosmith-Session: ${session.id}`],
      ],
    ]);
  });

  test('--pr with a program that fails: the branch is there, the page and the reason are told', async () => {
    verifies('worktrees.push.program');
    standIn(path.join(base, 'bin'), 'glab', 'echo "401 Unauthorized" >&2; exit 1');
    const { notes } = await pushed('git@gitlab.com:g/r.git', '--pr');
    expect(notes.slice(1)).toEqual([
      'no pull request was opened: glab refused: 401 Unauthorized',
      expect.stringContaining('open a pull request: https://gitlab.com/g/r/-/merge_requests/new?'),
    ]);
  });
});
