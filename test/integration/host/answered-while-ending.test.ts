import { afterEach, expect, test } from 'vitest';
import type { HaltId } from '#protocol/id.ts';
import { type HostBench, hostBench } from './host-bench.ts';

let at: HostBench;
afterEach(() => at.remove());

/** The block program of host-bench.ts, except that B needs 1.5 seconds to end after SIGTERM. */
const SLOW_TO_END = `import { appendFileSync, existsSync } from 'node:fs';
const [name] = process.argv.slice(2);
if (name === 'B') process.on('SIGTERM', () => setTimeout(() => process.exit(1), 1_500));
appendFileSync('ran', name + '\\n');
while (existsSync('hold-' + name)) await new Promise((resolve) => setTimeout(resolve, 10));
process.exitCode = existsSync('fail-' + name) ? 1 : 0;
`;

test('a run that waits is not answered any more while others are being ended: it would be cut off with the process', async () => {
  at = hostBench({ 'fail-C': '', 'work.mjs': SLOW_TO_END });
  const host = await at.serve();
  const client = await at.client();
  const waits = await at.start(client);
  await client.call('run.settled', { run: waits });
  at.write('hold-B', '');
  at.write('hold-C', '');
  await at.start(client);
  await at.untilRan(5);
  const stopped = client.call('host.stop', { mode: 'force' }).catch(() => null);
  const answer = { run: waits, halt: 'h1' as HaltId, answer: { verb: 'retry' } as const };
  await expect(client.call('run.answer', answer)).rejects.toMatchObject({
    code: 'host_failed',
    data: { stopping: true },
  });
  expect(await stopped).toMatchObject({ stopped: true });
  await host.stopped;
  expect(at.said).toEqual([]);
  expect(at.ran()).toEqual(['A', 'B', 'C', 'A', 'B']);
});
