import { afterEach, beforeEach, expect, test } from 'vitest';
import { commitWork } from '#io/git/outcomes/commit-work.ts';
import { discardSession } from '#io/git/outcomes/discard-session.ts';
import { holdSession } from '#io/git/outcomes/hold-session.ts';
import { updateFromBase } from '#io/git/outcomes/update-from-base.ts';
import { type GitFolder, realGit } from '../../../../support/git-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let main: GitFolder;
let work: GitFolder;
beforeEach(async () => {
  ({ base, main, work } = await newMainAndWork({ a: 'a\n' }));
});
afterEach(() => removeFolder(base));

const commit = () =>
  commitWork(realGit, {
    worktree: work.at,
    branch: 'work',
    base: 'main',
    message: 'Session',
    hooks: true,
    hasKey: () => false,
  });
const hold = () =>
  holdSession(realGit, { repository: main.at, branch: 'work', worktree: work.at, state: '{}', message: 'Hold' });
const discard = () =>
  discardSession(realGit, { repository: main.at, session: 's1', branch: 'work', worktree: work.at });
const update = () =>
  updateFromBase(realGit, { worktree: work.at, branch: 'work', base: 'main', snapshotRef: 'refs/robosmith/rescue/s1' });

test.each([
  ['committed', commit],
  ['held', hold],
  ['discarded', discard],
  ['updated', update],
] as const)('a session whose branch was renamed in its worktree is %s once it has its name back', async (_, ask) => {
  work.put('own', 'own\n');
  work.git('branch', '-m', 'feature/mine');
  const refusal = await ask();
  const message = 'message' in refusal ? refusal.message : '';
  expect(message).toBe(
    `${work.at} is on feature/mine, not on work, which no longer exists. If the branch was renamed, run \`git branch -m feature/mine work\` there to restore its name`,
  );
  const [, ...command] = (/`(.*)`/.exec(message)?.[1] ?? '').split(' ');
  work.git(...command);
  expect(await ask()).not.toHaveProperty('why');
});

test('one that lost its branch below a detached HEAD is told how to have it again', async () => {
  work.git('checkout', '-q', '--detach');
  main.git('branch', '-D', 'work');
  expect(await commit()).toMatchObject({ message: expect.stringContaining('`git switch -c work` there') as string });
  work.git('switch', '-q', '-c', 'work');
  expect(await commit()).toMatchObject({ kind: 'committed' });
});
