import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { discardSession } from '#io/git/outcomes/discard-session.ts';
import { mergeSession, type MergeOutcome } from '#io/git/outcomes/merge-session.ts';
import { restoreSession } from '#io/git/outcomes/restore-session.ts';
import { scratchesFolder } from '#io/git/outcomes/temporary-worktree.ts';
import { updateFromBase } from '#io/git/outcomes/update-from-base.ts';
import { type GitFolder, realGit } from '../../../../support/git-folder.ts';
import { LFS_AWAY, LFS_POINTER } from '../../../../support/lfs-away.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let main: GitFolder;
let work: GitFolder;
const children: ChildProcess[] = [];
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({ a: 'a\n' }, 'r.worktrees/w-s1'));
});
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  await removeFolder(base);
});

const scratches = (): string => scratchesFolder(main.at);

const merge = (more = {}): Promise<MergeOutcome> =>
  mergeSession(realGit, {
    repository: main.at,
    base: 'main',
    branch: 'work',
    worktree: work.at,
    strategy: 'squash',
    message: 'Session',
    scratchFolder: scratches(),
    ...more,
  });

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Starts a process that stays in the middle of a merge, and returns it with the folder of its scratch worktree. */
async function mergingProcess(): Promise<{ readonly child: ChildProcess; readonly folder: string }> {
  const script = `
    import { realGit } from './test/support/git-folder.ts';
    import { withScratch } from '#io/git/outcomes/temporary-worktree.ts';
    const [, repository, scratchFolder] = process.argv;
    const place = { repository, scratchFolder, commit: 'main', hasFiles: true, serialise: (run) => run() };
    await withScratch(realGit, place, (folder) => {
      process.stdout.write(folder);
      return new Promise(() => setInterval(() => undefined, 60_000));
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, main.at, scratches()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [folder] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, folder: folder.toString() };
}

test('of a process that was killed is removed by the next merge, and nothing else is', async () => {
  const [dead, alive] = [await mergingProcess(), await mergingProcess()];
  const foreign = path.join(scratches(), 'of the user');
  main.git('worktree', 'add', '-q', '--detach', foreign);
  await kill(dead.child);
  work.put('b', 'mine\n');
  const seen: string[] = [];
  const verify = (folder: string): Promise<null> => {
    seen.push(folder);
    return Promise.resolve(null);
  };
  expect(await merge({ verify })).toMatchObject({ kind: 'merged' });
  expect([dead.folder, alive.folder, foreign, work.at].map((one) => existsSync(one))).toEqual([
    ...[false, true, true, true],
  ]);
  expect(seen.map((folder) => path.dirname(folder))).toEqual([scratches()]);
  const listed = main.git('worktree', 'list', '--porcelain');
  expect(listed).not.toContain(dead.folder);
  expect(listed).not.toContain(seen[0]);
  await kill(alive.child);
  main.git('worktree', 'remove', foreign);
  work.put('c', 'mine\n');
  expect(await merge({ strategy: 'merge' })).toMatchObject({ kind: 'merged' });
  expect([existsSync(scratches()), existsSync(work.at)]).toEqual([false, true]);
});

test('is made, merged in and restored where Git LFS is set up and not installed', async () => {
  const base0 = work.git('rev-parse', 'HEAD');
  main.put('.gitattributes', '*.bin filter=lfs -text\n');
  main.put('big.bin', LFS_POINTER);
  main.commit('pointer');
  for (const strategy of ['squash', 'merge', 'rebase']) {
    work.git('switch', '-q', '-c', strategy, base0);
    work.put(strategy, 'mine\n');
    work.commit(strategy);
  }
  const kept = { repository: main.at, session: 's1', branch: 'rebase', worktree: work.at };
  work.put('a', 'not committed\n');
  expect(await discardSession(realGit, { ...kept, keepBranch: true })).toMatchObject({ kind: 'discarded' });
  for (const [key, value] of LFS_AWAY) main.git('config', key, value);
  for (const strategy of ['squash', 'merge'])
    expect(await merge({ strategy, branch: strategy, worktree: null })).toMatchObject({ kind: 'merged' });
  expect(await restoreSession(realGit, { ...kept, ref: 'refs/robosmith/discarded/s1' })).toMatchObject({
    kind: 'restored',
  });
  expect(readFileSync(path.join(work.at, 'a'), 'utf8')).toBe('not committed\n');
  work.git('checkout', '-q', 'a');
  const update = { worktree: work.at, branch: 'rebase', base: 'main', snapshotRef: null };
  expect(await updateFromBase(realGit, update)).toMatchObject({ kind: 'updated' });
  expect(readFileSync(path.join(work.at, 'big.bin'), 'utf8')).toBe(LFS_POINTER);
  expect(await merge({ strategy: 'rebase', branch: 'rebase', worktree: null })).toMatchObject({ kind: 'merged' });
});
