import { execFileSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { MANIFEST, type SessionProject, sessionProject } from './session-project.ts';

let at: SessionProject;
afterEach(() => at.remove());

const GIT = ['-c', 'user.name=n', '-c', 'user.email=n@example.org'];

/**
 * Creates a session whose only block runs this script in the main checkout. The block finds the main checkout from its
 * worktree.
 */
const straying = (guard: string, script: string): Promise<SessionProject> =>
  sessionProject({
    ...MANIFEST,
    worktree: { guard },
    workers: {
      'Worker:Edit': {
        kind: 'command',
        command: [
          'sh',
          '-c',
          `cd "$(dirname "$(git rev-parse --path-format=absolute --git-common-dir)")" && ${script}`,
        ],
      },
    },
  });

const head = (): string => at.git('rev-parse', 'HEAD').trim();

/** Runs the commands that a message lists below "To undo it:". */
function undo(err: string): void {
  const lines = err.split('\n').map((line) => line.replace(/^ +\| ?/, '').trim());
  const commands = lines.slice(lines.indexOf('To undo it:') + 1).filter((line) => line.startsWith('git -C '));
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) execFileSync('sh', ['-c', command]);
}

test.each([
  ['a file that is written', 'echo stray >> src/a.txt', '+stray'],
  ['a new file', 'echo stray > new.txt', 'new.txt: was as committed, is untracked'],
  ['a commit', `echo stray >> src/a.txt && git ${GIT.join(' ')} commit -qam Stray`, 'Stray'],
])('guard "halt" halts after the only block, with exit 3: %s', async (_, script, shown) => {
  verifies('worktrees.guard');
  at = await straying('halt', script);
  const before = head();
  const { code, err } = await at.robosmith('run', 'Fix', '--session', 'Stray', '--trust');
  expect([code, err]).toEqual([3, expect.stringContaining('the main checkout changed while it worked')]);
  expect(err).toContain(shown);
  const session = await at.session('Stray');
  expect(session.state).toBe('halted');
  expect((await at.robosmith('sessions', 'merge', 'Stray')).code).not.toBe(0);
  undo(err);
  expect([head(), at.git('status', '--porcelain'), at.read('src/a.txt')]).toEqual([before, '', 'one\n']);
  expect((await at.robosmith('resume', session.runs[0] ?? '', '--proceed')).code).toBe(0);
  expect((await at.session('Stray')).state).toBe('ready');
});
