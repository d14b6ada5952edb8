import { mkdirSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Git } from '#io/git/plumbing/git.ts';
import { readStatus } from '#io/git/plumbing/read-status.ts';
import { readStatuses } from '#io/git/plumbing/read-statuses.ts';
import { processes } from '#io/process/process.ts';
import type { Processes } from '#protocol/services.ts';
import { newRepository, realGit, type Repository } from '../../../../support/git-repository.ts';

let at: Repository;
beforeEach(async () => {
  at = await newRepository();
});
afterEach(() => at.end());

/** Long enough for a busy machine, in milliseconds. */
const A_MINUTE = 60_000;

const worktree = (name: string): string => at.linkedWorktree(name, `robosmith/${name.replaceAll(/\W/g, '-')}`);

/** Creates a `git` and `Processes` that record what is started. */
function recorded() {
  const alone: string[] = [];
  const shells: string[] = [];
  const git: Git = (directory, args, options) => {
    alone.push(directory);
    return realGit(directory, args, options);
  };
  const counted: Processes = {
    run: (request, ...rest) => {
      shells.push(request.argv[0]);
      return processes.run(request, ...rest);
    },
  };
  return { alone, shells, git, processes: counted };
}

const readAll = (
  worktrees: readonly string[],
  git: Git,
  parts: Omit<Parameters<typeof readStatuses>[0], 'worktrees'>,
) => {
  const statusOf = readStatuses({ limitMs: A_MINUTE, ...parts, worktrees });
  return Promise.all(worktrees.map((one) => statusOf(git, one)));
};

/** Worktrees in all kinds of states, with names that a shell would interpret. */
function everyState(): readonly string[] {
  const names = ['clean', 'with space', "quote'", '$(touch broken)', '-dash', 'many\nlines', 'changed', 'conflict'];
  const all = names.map(worktree);
  const [clean = '', , , , , , changed = '', conflict = ''] = all;
  at.put('new\nline "and" \u00e4', 'x', changed);
  at.put('a.txt', 'changed\n', changed);
  at.put('staged', 'x', changed);
  at.git(['add', 'staged'], changed);
  rmSync(`${changed}/src/b.txt`);
  at.put('a.txt', 'ours\n', conflict);
  at.commit('ours', conflict);
  at.put('a.txt', 'theirs\n', clean);
  at.commit('theirs', clean);
  at.tryGit(['merge', 'robosmith/clean'], conflict);
  return all;
}

test('many worktrees are read with one shell for each processor, each as if it were read alone', async () => {
  const all = everyState();
  const { alone, shells, git, processes: counted } = recorded();
  const expected = await Promise.all(all.map((one) => readStatus(realGit, one)));
  expect(await readAll(all, git, { processes: counted, atOnce: 3 })).toEqual(expected);
  expect([alone, shells]).toEqual([[], ['/bin/sh', '/bin/sh', '/bin/sh']]);
  expect(expected.map((one) => ('failed' in one ? 'failed' : one.records.length))).toEqual([0, 0, 0, 0, 0, 0, 4, 1]);
});

test('a worktree that git can not read is read once more by a process of its own, which says why', async () => {
  const plain = at.at('plain');
  mkdirSync(plain);
  const all = [worktree('one'), plain, worktree('two'), worktree('three')];
  const { alone, git, processes: counted } = recorded();
  const [one, failed, ...others] = await readAll(all, git, { processes: counted, atOnce: 1 });
  expect(failed).toMatchObject({ failed: { err: expect.stringContaining('not a git repository') as string } });
  expect([one, ...others].map((status) => status !== undefined && 'head' in status)).toEqual([true, true, true]);
  expect(alone).toEqual([plain]);
});

test('a worktree in which git hangs delays no other, and is read by a process of its own', async () => {
  const all = ['one', 'hangs', 'two', 'three'].map(worktree);
  const [, hanging = ''] = all;
  at.put('.gitattributes', '*.txt filter=slow\n', hanging);
  at.put('a.txt', 'changed\n', hanging);
  at.git(['config', 'filter.slow.clean', 'sleep 100']);
  const { alone, git, processes: counted } = recorded();
  const silent: Git = (directory, args, options) =>
    directory === hanging
      ? (alone.push(hanging), Promise.resolve({ ok: false, code: null, out: '', err: 'silent' }))
      : git(directory, args, options);
  const statuses = await readAll(all, silent, { processes: counted, atOnce: 1, limitMs: 500 });
  expect(statuses.map((status) => 'failed' in status)).toEqual([false, true, false, false]);
  expect(alone).toContain(hanging);
});

test.each<[string, number, NodeJS.Platform]>([
  ['few worktrees', 3, 'linux'],
  ['Windows', 5, 'win32'],
])(
  '%s: each is read by processes of its own, one for the status and one for hidden changes',
  async (_, number, platform) => {
    const all = Array.from({ length: number }, (_one, index) => worktree(`w${String(index)}`));
    const { alone, shells, git, processes: counted } = recorded();
    await readAll(all, git, { processes: counted, platform });
    expect([alone.toSorted(), shells]).toEqual([[...all, ...all].toSorted(), []]);
  },
);

test.each(['--assume-unchanged', '--skip-worktree'])('a change that %s hides is seen', async (flag) => {
  const all = ['one', 'hides', 'two', 'three'].map(worktree);
  const [, hiding = ''] = all;
  at.git(['update-index', flag, 'a.txt'], hiding);
  at.put('a.txt', 'changed\n', hiding);
  const { alone, git, processes: counted } = recorded();
  const together = await readAll(all, git, { processes: counted, atOnce: 1 });
  const apart = await readAll([hiding], git, { processes: counted });
  for (const status of [together[1], ...apart]) expect(status).toMatchObject({ unstaged: ['a.txt'] });
  expect(new Set(alone)).toEqual(new Set([hiding]));
});

test('output that arrives in single characters is the same', async () => {
  const all = everyState();
  const slowly: Processes = {
    run: (request, signal, onOutput) =>
      processes.run(request, signal, (text) => {
        for (const one of text) onOutput?.(one);
      }),
  };
  const expected = await Promise.all(all.map((one) => readStatus(realGit, one)));
  const { alone, git } = recorded();
  expect(await readAll(all, git, { processes: slowly, atOnce: 2 })).toEqual(expected);
  expect(alone).toEqual([]);
});
