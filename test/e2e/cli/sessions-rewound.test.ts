import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type SessionProject, sessionProject } from './session-project.ts';

let at: SessionProject;
afterEach(() => at.remove());

test('a session does not bring back what its base has dropped', async () => {
  at = await sessionProject();
  at.write('secret.txt', 'secret');
  at.git('add', '-A');
  at.git('commit', '-qm', 'secret');
  expect((await at.robosmith('sessions', 'new', 'Alpha')).code).toBe(0);
  writeFileSync(path.join((await at.session('Alpha')).worktree ?? '', 'new.txt'), 'new');
  at.git('reset', '-q', '--hard', 'HEAD~1');
  const before = at.git('rev-parse', 'main');
  const { code, err } = await at.robosmith('sessions', 'merge', 'Alpha');
  expect([code, err]).toEqual([1, expect.stringContaining('main has dropped a commit since the session started')]);
  expect(at.git('rev-parse', 'main')).toBe(before);
});
