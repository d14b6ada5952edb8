import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGit } from '#io/git/plumbing/git.ts';
import type { Processes, ProcessResult } from '#protocol/services.ts';
import { newRepository, realGit } from '../../../../support/git-folder.ts';
import { newFolder, removeFolder } from '../../../../support/in-folder.ts';

const HALF_MADE = 'fatal: failed to read .git/worktrees/fix-it/commondir: Success\n';

/** Returns a fake git that fails this many times because another `git worktree add` is in progress. */
function gitThatFinds(times: number, err = HALF_MADE) {
  let asked = 0;
  const processes: Processes = {
    run: (_request, _signal, _onOutput, _onBytes, onError): Promise<ProcessResult> => {
      asked += 1;
      const isHalfMade = asked <= times;
      if (isHalfMade) onError?.(err);
      const end = isHalfMade ? { exitCode: 128, output: '' } : { exitCode: 0, output: 'done' };
      return Promise.resolve({ ...end, ended: 'exited', durationMs: 1, error: null });
    },
  };
  return { git: createGit(processes), asked: () => asked };
}

describe('a git that finds another one in the middle of making a worktree', () => {
  test.each([
    ['worktree', ['worktree', 'add', '--', '/w', 'b']],
    ['worktree, after settings', ['-c', 'a.b=worktree', 'worktree', 'list']],
    ['branch', ['branch', '--list']],
  ])('is asked again: %s', async (_name, args) => {
    const { git, asked } = gitThatFinds(3);
    expect(await git('/r', args)).toEqual({ ok: true, code: 0, out: 'done', err: '' });
    expect(asked()).toBe(4);
  });

  test('is not asked for ever', async () => {
    const { git, asked } = gitThatFinds(Number.POSITIVE_INFINITY);
    expect(await git('/r', ['worktree', 'list'])).toMatchObject({ ok: false, code: 128, err: HALF_MADE.trimEnd() });
    expect(asked()).toBe(10);
  });

  test('is not asked again what might have been done by half, or for another reason', async () => {
    const merging = gitThatFinds(1);
    expect((await merging.git('/r', ['merge', 'worktree'])).ok).toBe(false);
    const other = gitThatFinds(1, 'fatal: not a git repository\n');
    expect((await other.git('/r', ['worktree', 'list'])).ok).toBe(false);
    expect([merging.asked(), other.asked()]).toEqual([1, 1]);
  });
});

const HOOKS = [
  ...['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-merge-commit', 'post-merge', 'pre-rebase'],
  ...['post-checkout', 'post-rewrite', 'pre-push', 'reference-transaction'],
];

test('a pattern in a hook is a pattern; for all else a name is nothing but a name', async () => {
  const base = await newFolder();
  try {
    const folder = newRepository(path.join(base, 'r'));
    for (const name of ['[a]', 'a']) folder.put(name, `${name}\n`);
    folder.commit('one');
    expect((await realGit(folder.at, ['ls-files', '--', '[a]'])).out).toBe('[a]\n');
    for (const name of HOOKS) {
      folder.hook(name, `git ls-files -- '[a]' > '${base}/${name}'`);
    }
    for (const args of [
      ['commit', '-q', '--allow-empty', '-m', 'two'],
      ['checkout', '-q', '-b', 'other', 'HEAD^'],
      ['commit', '-q', '--allow-empty', '-m', 'three'],
      ['commit', '-q', '--allow-empty', '--amend', '-m', 'four'],
      ['merge', '-q', '--no-edit', 'main'],
      ['rebase', '-q', '--force-rebase', 'main'],
      ['init', '-q', '--bare', path.join(base, 'remote')],
      ['push', '-q', path.join(base, 'remote'), 'other'],
      ['worktree', 'add', '-q', path.join(base, 'w'), 'main'],
    ])
      expect(await realGit(folder.at, args)).toMatchObject({ ok: true });
    for (const name of HOOKS) {
      expect([name, existsSync(path.join(base, name))]).toEqual([name, true]);
      expect([name, readFileSync(path.join(base, name), 'utf8')]).toEqual([name, '[a]\na\n']);
    }
  } finally {
    await removeFolder(base);
  }
});
