import { afterEach, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { MANIFEST, type SessionProject, sessionProject } from './session-project.ts';

let at: SessionProject;
afterEach(() => at.remove());

test('the command that trusts is the one that was typed, with all that it said', async () => {
  verifies('cli.sessions', 'cli.run.detach');
  at = await sessionProject();
  const typed = [
    [
      ['run', 'Fix', '--session', 'Log in', '--plan', 'src/a.txt', '--plan', 'src/b.txt', '--detach'],
      'run Fix --session "Log in" --plan src/a.txt --plan src/b.txt --detach --trust',
    ],
    [
      ['sessions', 'new', 'Log in', '--node', 'Fix', '--plan', 'src/a.txt', '--priority', '1', '--draft'],
      'sessions new "Log in" --node Fix --plan src/a.txt --priority 1 --draft --trust',
    ],
  ] as const;
  for (const [words, next] of typed) {
    const { code, err } = await at.robosmith(...words);
    expect([code, err]).toEqual([2, expect.stringContaining(`Next:\n  robosmith ${next}\n`)]);
  }
});

test('a session that failed because the manifest has changed goes on once that is trusted', async () => {
  verifies('cli.sessions');
  at = await sessionProject();
  expect((await at.robosmith('sessions', 'new', 'Later', '--node', 'Fix', '--draft', '--trust')).code).toBe(0);
  const { Fix } = MANIFEST.nodes;
  const changed = { kind: 'command', command: ['node', './work.mjs'] };
  at.write(
    '.vision/workflows.json',
    JSON.stringify({ ...MANIFEST, workers: { 'Worker:Edit': changed }, nodes: { Fix } }),
  );
  await at.robosmith('sessions', 'submit', 'Later');
  const { id, why } = await at.untilState('Later', 'failed');
  expect(why).toContain('not_trusted');
  expect((await at.robosmith('sessions', 'show', 'Later')).err).toContain(`robosmith sessions resume ${id}\n`);

  const asked = await at.robosmith('sessions', 'resume', 'Later');
  expect([asked.code, asked.err]).toEqual([
    2,
    expect.stringContaining(`Next:\n  robosmith sessions resume ${id} --trust\n`),
  ]);
  expect((await at.session('Later')).state).toBe('failed');

  expect((await at.robosmith('sessions', 'resume', 'Later', '--trust')).code).toBe(0);
  at.openGate();
  await at.untilState('Later', 'ready');
});
