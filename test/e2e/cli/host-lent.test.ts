import { afterEach, expect, test } from 'vitest';
import { rewriteJournal, waitingUntil } from './durable.ts';
import { type HostedProject, hostedProject } from './hosted.ts';

let at: HostedProject;
afterEach(() => at.remove());

test('a host that was lent its engine watches again over all that can go on', async () => {
  at = await hostedProject({ 'sub/x.txt': '' });
  await at.write('sub/work.mjs', await at.read('work.mjs'));
  await at.robosmith('run', 'Main', '--in', 'sub', '--trust');
  await at.robosmith('run', 'Main', '--in', '.');
  const [stays = null, gone = null] = (await at.runs()).map(({ run }) => run);
  for (const run of [gone, stays]) await rewriteJournal(at, run ?? '', waitingUntil(Date.now() + 3_600_000));
  await at.startHost();
  for (const run of [gone, stays]) expect((await at.robosmith('resume', run ?? '')).code).toBe(3);
  expect(new Set((await at.host())?.waiting)).toEqual(new Set([gone, stays]));
  await at.unlink('sub');
  const { code, err } = await at.robosmith('runs', 'prune', '--keep', '99');
  expect([code, (await at.host())?.waiting]).toEqual([0, [stays]]);
  expect(err).toContain(`No engine host will continue ${gone ?? ''}`);
});
