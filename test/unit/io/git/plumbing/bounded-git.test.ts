import { expect, test } from 'vitest';
import { createGit } from '#io/git/plumbing/git.ts';
import type { Processes } from '#protocol/services.ts';

test('a worktree that stays half made is looked at ten times', async () => {
  let started = 0;
  const processes: Processes = {
    run: (_request, _signal, _onOutput, _onBytes, onError) => {
      started += 1;
      onError?.('fatal: failed to read /p/.git/worktrees/x/commondir: Success\n');
      return Promise.resolve({ exitCode: 128, output: '', durationMs: 1, ended: 'exited', error: null });
    },
  };
  const { ok } = await createGit(processes)('/p', ['worktree', 'list']);
  expect([ok, started]).toEqual([false, 10]);
});
