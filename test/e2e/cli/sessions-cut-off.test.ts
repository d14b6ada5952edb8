import { rmSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { killHard } from './hosted.ts';
import { nextCommands } from './robosmith.ts';
import { GATED, type SessionProject, sessionProject } from './session-project.ts';
import type { ProjectStatus } from './session-documents.ts';
import { until } from '../../support/until.ts';

let at: SessionProject;
afterEach(() => at.remove());

test('a session whose host was killed is not told as one that works', async () => {
  verifies('cli.status', 'engine.host.kill');
  at = await sessionProject();
  expect((await at.robosmith('run', 'Fix', '--session', 'Log in', '--detach', '--trust')).code).toBe(0);
  const status = async (): Promise<ProjectStatus> =>
    JSON.parse((await at.robosmith('status', '--json')).out) as ProjectStatus;
  await until(async () => (await status()).sessions[0]?.run?.block === 'Fix__Edit', 'the block under way');
  const pid = (await status()).engine?.pid;
  if (pid === undefined) throw new Error('no host');
  await killHard(pid);

  const { id, runs } = await at.session('Log in');
  const goesOn = `robosmith resume ${runs[0] ?? ''}`;
  for (const list of ['status', 'sessions']) {
    const { out, err } = await at.robosmith(list);
    expect(out).toMatch(new RegExp(`■ ${id} .* no process runs it: ${goesOn}\n`));
    expect(err).toBe(`\nNext:\n  ${goesOn}\n`);
  }
});

test('a run whose worktree somebody has removed names the command that makes it again', async () => {
  verifies('cli.resume', 'cli.error.next-command-works');
  at = await sessionProject(GATED);
  at.openGate();
  expect((await at.robosmith('run', 'Fix', '--session', 'Log in', '--trust')).code).toBe(3);
  const { id, runs, worktree } = await at.session('Log in');
  rmSync(worktree ?? '', { recursive: true });
  const run = runs[0] ?? '';
  const { code, err } = await at.robosmith('resume', run, '--proceed');
  const [again = []] = nextCommands(err);
  expect([code, again]).toEqual([2, ['sessions', 'resume', id]]);
  expect((await at.robosmith(...again)).code).toBe(0);
  await at.untilState('Log in', 'halted');
  expect((await at.robosmith('resume', run, '--proceed')).code).toBe(0);
});
