import { rm } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { type HostedProject, hostedProject } from './hosted.ts';

let at: HostedProject;
afterEach(() => at.remove());

test('a run that can’t be cancelled is refused by a host as without one', async () => {
  at = await hostedProject({ 'fail-B': '' });
  await at.robosmith('run', 'Main', '--in', '.', '--trust');
  const { run } = await at.newest();
  const journal = `.flow/runs/${run}/journal.jsonl`;
  const [first = '', ...others] = (await at.read(journal)).split('\n');
  await at.write(journal, [first, 'damaged', ...others].join('\n'));
  await rm(at.file(`.flow/runs/${run}/flow_state_${run}.json`), { force: true });
  const alone = await at.robosmith('runs', 'cancel', run, '--json');
  await at.startHost();
  const asked = await at.robosmith('runs', 'cancel', run, '--json');
  for (const { code, out } of [alone, asked])
    expect([code, JSON.parse(out)]).toMatchObject([1, { ok: false, error: { code: 'corrupt_state' } }]);
  expect(asked.err).toContain('journal.jsonl, line 2');
});
