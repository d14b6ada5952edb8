import { afterEach, expect, test } from 'vitest';
import { NODE, to } from '../e2e/cli/robosmith.ts';
import { type SessionProject, sessionProject } from '../e2e/cli/session-project.ts';

let at: SessionProject;
afterEach(() => at.remove());

const manifest = {
  version: 1,
  entry: 'Main',
  workers: { 'Worker:Evil': { kind: 'command', command: [NODE, 'evil.mjs'] } },
  nodes: {
    Main: {
      entry_block: 'Evil',
      blocks: {
        Evil: {
          worker: 'Worker:Evil',
          access: { mode: 'partial', paths: ['src/**'] },
          transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
      },
    },
  },
};

/**
 * A script that deletes the branches of all other sessions, the tags and all refs of the engine, clears the stash, and
 * moves the base to another commit.
 */
const EVIL = `
import { execFileSync } from 'node:child_process';
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const own = git('symbolic-ref', 'HEAD');
for (const ref of git('for-each-ref', '--format=%(refname)', 'refs/heads/robosmith').split('\\n'))
  if (ref !== own) git('update-ref', '-d', ref);
for (const ref of git('for-each-ref', '--format=%(refname)', 'refs/tags', 'refs/robosmith').split('\\n'))
  git('update-ref', '-d', ref);
git('stash', 'clear');
const identity = ['-c', 'user.name=E', '-c', 'user.email=e@e'];
git('update-ref', 'refs/heads/main', git(...identity, 'commit-tree', '-p', 'main', '-m', 'evil', 'HEAD^{tree}'));
`;

test('a block with an access moves no branch of another session, no base, no tag and no ref of the engine', async () => {
  at = await sessionProject(manifest);
  at.write('evil.mjs', EVIL);
  at.git('add', '-A');
  at.git('commit', '-qm', 'a block');
  expect((await at.robosmith('sessions', 'new', 'Other')).code).toBe(0);
  const { branch, worktree } = await at.session('Other');
  at.gitIn(worktree ?? '', 'commit', '-q', '--allow-empty', '-m', 'work');
  expect((await at.robosmith('sessions', 'new', 'Gone')).code).toBe(0);
  const gone = await at.session('Gone');
  at.gitIn(gone.worktree ?? '', 'commit', '-q', '--allow-empty', '-m', 'work');
  expect((await at.robosmith('sessions', 'discard', 'Gone', '--force')).code).toBe(0);
  at.git('tag', 'v1');
  at.write('evil.mjs', `${EVIL}// kept in the stash`);
  at.git('stash', '-q');
  const stashed = at.git('rev-parse', 'stash');
  const kept = `refs/robosmith/discarded/${gone.id}`;
  const refs = [branch, 'main', 'refs/tags/v1', kept];
  const before = refs.map((name) => at.git('rev-parse', name));
  const ran = await at.robosmith('run', 'Main', '--session', 'Evil', '--trust');
  expect([ran.code, ran.err]).toEqual([3, expect.stringContaining(`.git/refs/heads/${branch} was removed`)]);
  expect(ran.err).toContain('.git/refs/heads/main was moved');
  expect(ran.err).toContain('.git/refs/tags/v1 was removed');
  expect(ran.err).toContain(`.git/${kept} was removed`);
  expect(refs.map((name) => at.git('rev-parse', name))).toEqual(before);
  expect(at.git('rev-parse', `refs/robosmith/rescue/stash-${stashed.slice(0, 12)}`)).toBe(stashed);
  // The engine itself can still merge and discard.
  expect((await at.robosmith('sessions', 'discard', 'Other', '--force')).code).toBe(0);
});
