import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdSession, readHeld } from '#io/git/outcomes/hold-session.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { folderPicture } from '../../../../support/folder-picture.ts';
import { gitFolder, type GitFolder, realGit } from '../../../../support/git-folder.ts';
import { killedAfter } from '../../../../support/killed-git.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let main: GitFolder;
let work: GitFolder;
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({ a: 'a\n', '.gitignore': '.robo/\n' }));
});
afterEach(() => removeFolder(base));

const STATE = '{\n  "schema": 1,\n  "name": "ü"\n}\n';

const hold = (state = STATE, worktree: string | null = work.at, git = realGit) =>
  holdSession(git, { repository: main.at, branch: 'work', worktree, state, message: 'Hold work' });

test('the state is committed alone, and what is staged or edited stays so', async () => {
  verifies('worktrees.hold.committed');
  for (const name of ['pre-commit', 'commit-msg', 'reference-transaction']) main.hook(name, 'exit 1');
  main.git('config', '--unset', 'user.email');
  main.git('config', 'commit.gpgSign', 'true');
  work.put('staged', 's\n');
  work.git('add', 'staged');
  work.put('a', 'edited\n');
  const status = work.git('status', '--porcelain');
  const held = await hold();
  expect(held).toEqual({ kind: 'held', commit: work.git('rev-parse', 'HEAD') });
  expect(work.git('show', '--format=%s', '--name-only', 'HEAD')).toBe('Hold work\n\n.robo/session.json');
  expect(work.git('status', '--porcelain')).toBe(status);
  expect(readFileSync(path.join(work.at, '.robo/session.json'), 'utf8')).toBe(STATE);
  expect(await readHeld(realGit, main.at, 'work')).toMatchObject({ kind: 'state', text: STATE });
  expect(await hold()).toEqual(held);
  const again = await hold('{"schema":2}', null);
  expect(again).not.toEqual(held);
  expect(await readHeld(realGit, main.at, 'work')).toMatchObject({ text: '{"schema":2}' });
});

test('is read from the branch of a remote, and none is told', async () => {
  expect(await readHeld(realGit, main.at, 'work')).toEqual({ kind: 'none' });
  await hold();
  const other = gitFolder(path.join(base, 'other'));
  other.git('clone', '-q', main.at, '.');
  expect(await readHeld(realGit, other.at, 'origin/work')).toMatchObject({ kind: 'state', text: STATE });
  expect(await readHeld(realGit, other.at, 'nothing')).toMatchObject({ why: 'missing' });
});

test('is refused when it is no JSON, the branch is elsewhere, or a file has its place', async () => {
  expect(await hold('{')).toMatchObject({ why: 'invalid_state' });
  work.git('checkout', '-q', '--detach');
  expect(await hold()).toMatchObject({ why: 'branch_elsewhere' });
  work.git('checkout', '-q', 'work');
  work.put('.robo', 'a file of the user\n');
  work.git('add', '-f', '.robo');
  work.git('commit', '-qm', 'robo');
  const tip = work.git('rev-parse', 'HEAD');
  expect(await hold()).toMatchObject({ kind: 'refused', why: 'git_failed' });
  expect(work.git('rev-parse', 'work')).toBe(tip);
});

describe('what is in its place and is not of the branch stays, and nothing is committed', () => {
  const PLACE = '.robo/session.json';
  const at = (name: string): string => path.join(work.at, name);

  async function taken(file: string): Promise<void> {
    const before = [work.git('rev-parse', 'work'), work.git('ls-files', '-s'), folderPicture(work.at)];
    expect(await hold()).toMatchObject({ kind: 'refused', why: 'checkout_blocked', files: [file] });
    expect([work.git('rev-parse', 'work'), work.git('ls-files', '-s'), folderPicture(work.at)]).toEqual(before);
  }

  test('a file, a folder or a link that git does not know', async () => {
    work.put(PLACE, 'of the user');
    await taken(PLACE);
    rmSync(at('.robo'), { recursive: true });
    work.put('.robo', 'a file of the user');
    await taken('.robo');
    rmSync(at('.robo'));
    mkdirSync(path.join(base, 'elsewhere'));
    symlinkSync(path.join(base, 'elsewhere'), at('.robo'));
    await taken('.robo');
    rmSync(at('.robo'));
    mkdirSync(at(PLACE), { recursive: true });
    await taken(PLACE);
  });

  test('a state that was edited or staged', async () => {
    await hold('{"n":1}');
    work.put(PLACE, '{"n":"edited"}');
    await taken(PLACE);
    work.git('add', '-f', PLACE);
    rmSync(at(PLACE));
    await taken(PLACE);
    work.git('commit', '-qm', 'edited');
    expect(await hold()).toMatchObject({ kind: 'held' });
    expect(work.git('show', `HEAD^:${PLACE}`)).toBe('{"n":"edited"}');
  });

  test('a file with the name of the folder that is staged', async () => {
    work.put('.robo', 'a file of the user');
    work.git('add', '-f', '.robo');
    rmSync(at('.robo'));
    await taken('.robo');
  });
});

test('an earlier state in the worktree gives way, as after a hold that was cut off', async () => {
  await hold('{"n":1}');
  await hold('{"n":2}', null);
  expect(readFileSync(path.join(work.at, '.robo/session.json'), 'utf8')).toBe('{"n":1}');
  expect(await hold()).toMatchObject({ kind: 'held' });
  expect(readFileSync(path.join(work.at, '.robo/session.json'), 'utf8')).toBe(STATE);
  expect(work.git('status', '--porcelain')).toBe('');
});

test('wherever it is cut off, what a person commits next does not take the state back', async () => {
  let end = '';
  for (let last = 1; end !== 'held'; last += 1) {
    expect(last).toBeLessThan(40);
    const state = `{"n":${last}}`;
    end = await hold(state, work.at, killedAfter(last)).then(
      ({ kind }) => kind,
      () => 'killed',
    );
    const now = await readHeld(realGit, main.at, 'work');
    work.git('commit', '-q', '--allow-empty', '-m', 'of the user');
    // If the killed `hold` had already staged the newer state of the session, that state is committed now.
    const after = await readHeld(realGit, main.at, 'work');
    if (now.kind === 'state') expect([now.text, state]).toContain(after.kind === 'state' ? after.text : after.kind);
  }
});

test('a lock of the index refuses before the branch moves', async () => {
  const lock = work.git('rev-parse', '--path-format=absolute', '--git-path', 'index.lock');
  const before = work.git('rev-parse', 'work');
  writeFileSync(lock, '');
  expect(await hold()).toMatchObject({ kind: 'refused', why: 'locked_by_git' });
  expect(work.git('rev-parse', 'work')).toBe(before);
});

test('a branch that moved meanwhile leaves nothing staged', async () => {
  const late: Git = (folder, args, options) => {
    if (args.includes('update-ref')) work.git('commit', '-q', '--allow-empty', '--only', '-m', 'late');
    return realGit(folder, args, options);
  };
  expect(await hold(STATE, work.at, late)).toMatchObject({ kind: 'refused', why: 'ref_taken' });
  expect(work.git('status', '--porcelain')).toBe('');
});

test('a state that was cut off on its branch is told', async () => {
  work.put('.robo/session.json', STATE.slice(0, 12));
  work.git('add', '-f', '.robo/session.json');
  work.git('commit', '-qm', 'cut');
  expect(await readHeld(realGit, main.at, 'work')).toMatchObject({ why: 'invalid_state' });
});
