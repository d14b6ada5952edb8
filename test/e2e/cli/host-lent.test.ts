import { afterEach, expect, test } from 'vitest';
import { rewriteJournal } from './durable.ts';
import { type HostedProject, hostedProject } from './hosted.ts';

let at: HostedProject;
afterEach(() => at.remove());

/** The lines of a run as if B had come to wait until then. */
const waiting = (until: number) => (lines: readonly Readonly<Record<string, unknown>>[]) => {
  const at_ = lines.findIndex((line) => line['type'] === 'result' && line['key'] === '/Main__B#1');
  const { key, at: time } = lines[at_] ?? {};
  const stepped = { kind: 'wait', why: 'quota', until, message: 'all keys are cooling down' };
  const halt = { type: 'halt', key, halt: 'h1', block: 'Main__B', why: 'quota', until, at: time };
  return [...lines.slice(0, at_), { ...lines[at_], stepped }, halt];
};

test('a host that was lent its engine watches again over all that can go on', { timeout: 60_000 }, async () => {
  at = await hostedProject({ 'sub/x.txt': '' });
  await at.write('sub/work.mjs', await at.read('work.mjs'));
  await at.robosmith('run', 'Main', '--in', 'sub', '--trust');
  await at.robosmith('run', 'Main', '--in', '.');
  const [stays = null, gone = null] = (await at.runs()).map(({ run }) => run);
  for (const run of [gone, stays]) await rewriteJournal(at, run ?? '', waiting(Date.now() + 3_600_000));
  await at.startHost();
  for (const run of [gone, stays]) expect((await at.robosmith('resume', run ?? '')).code).toBe(3);
  expect((await at.host())?.waiting).toEqual([gone, stays]);
  await at.unlink('sub');
  const { code, err } = await at.robosmith('runs', 'prune', '--keep', '99');
  expect([code, (await at.host())?.waiting]).toEqual([0, [stays]]);
  expect(err).toContain(`No engine host watches over ${gone ?? ''}`);
});
