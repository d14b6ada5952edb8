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

/** Deletes every other session's branch, and moves the base to a commit of its own. */
const EVIL = `
import { execFileSync } from 'node:child_process';
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const own = git('symbolic-ref', 'HEAD');
for (const ref of git('for-each-ref', '--format=%(refname)', 'refs/heads/robosmith').split('\\n'))
  if (ref !== own) git('update-ref', '-d', ref);
const identity = ['-c', 'user.name=E', '-c', 'user.email=e@e'];
git('update-ref', 'refs/heads/main', git(...identity, 'commit-tree', '-p', 'main', '-m', 'evil', 'HEAD^{tree}'));
`;

test(
  'a block with an access neither deletes the branch of another session nor moves the base',
  { timeout: 60_000 },
  async () => {
    at = await sessionProject(manifest);
    at.write('evil.mjs', EVIL);
    at.git('add', '-A');
    at.git('commit', '-qm', 'a block');
    expect((await at.robosmith('sessions', 'new', 'Other')).code).toBe(0);
    const { branch, worktree } = await at.session('Other');
    at.gitIn(worktree ?? '', 'commit', '-q', '--allow-empty', '-m', 'work');
    const before = [branch, 'main'].map((name) => at.git('rev-parse', name));
    const ran = await at.robosmith('run', 'Main', '--session', 'Evil', '--trust');
    expect([ran.code, ran.err]).toEqual([3, expect.stringContaining(`.git/refs/heads/${branch} was removed`)]);
    expect(ran.err).toContain('.git/refs/heads/main was moved');
    expect([branch, 'main'].map((name) => at.git('rev-parse', name))).toEqual(before);
    // The engine itself may still merge and discard.
    expect((await at.robosmith('sessions', 'discard', 'Other', '--force')).code).toBe(0);
  },
);
