import { expect, test } from 'vitest';
import { whyFailed, whyNoCommit } from '#io/git/plumbing/refusal.ts';
import { failureOf } from '#workers/git/git-failure.ts';
import { gitTrouble } from '#io/git/worktrees/git-refusal.ts';

const answer = (err: string, code: number | null = 128) => ({ ok: false, code, out: '', err });

test.each([
  ['disk_full', 'error: unable to write file a: No space left on device'],
  ['disk_full', "fatal: sha1 file '.git/index.lock' write error. Out of diskspace"],
  ['read_only', "error: insufficient permission\nfatal: could not open '.git/x': Permission denied"],
  ['path_too_long', 'fatal: cannot create directory at a: File name too long'],
  ['filter_failed', 'error: external filter lfs failed 1\nfatal: a: clean filter lfs failed'],
  ['locked_by_git', "fatal: Unable to create '/nowhere/index.lock': File exists."],
])('sessions and worktrees give one code for one cause: %s', async (why, err) => {
  expect((await whyFailed(answer(err), 'it')).why).toBe(why);
  expect(gitTrouble('it', answer(err)).why).toBe(why);
});

test('what ssh or a hook prints is no failure of the disk', async () => {
  const refusedKey = 'git@example.org: Permission denied (publickey).\nfatal: Could not read from remote repository.';
  expect((await whyFailed(answer(refusedKey), 'push')).why).toBe('git_failed');
  expect((await whyNoCommit(answer('check.sh: No space left on device', 1), 'commit')).why).toBe('hook_refused');
});

test('a hook that rejects a commit without a word is named as far as git tells', async () => {
  expect(await whyNoCommit(answer('', 1), 'not committed')).toMatchObject({
    why: 'hook_refused',
    message:
      'not committed; most likely a hook of the repository rejected it without a message: pre-commit, prepare-commit-msg or commit-msg',
  });
  const failure = failureOf('', true);
  expect(failure.message).toMatch(/^git did not commit; .* without a message: pre-commit, /);
});
