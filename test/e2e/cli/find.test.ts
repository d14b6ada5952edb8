import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FoundWork } from '#protocol/found-work.ts';
import { type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { type Ended, ended, type Project, project, start, to } from './robosmith.ts';

let server: FaultServer;
let here: Project;
const robosmith = (...args: readonly string[]): Promise<Ended> =>
  ended(
    start(args, here.folder, { ROBOSMITH_KEY_LOCAL: 'sk-test-0123456789', ROBOSMITH_URL_LOCAL: server.url('none') }),
  );

beforeEach(async () => {
  server = await startFaultServer();
  const worker = { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: server.url('none') };
  here = await project({
    '.flow/.keep': '',
    '.vision/workflows.json': {
      version: 1,
      entry: 'Main',
      workers: { 'Worker:Model': worker },
      nodes: {
        Main: {
          entry_block: 'Ask',
          blocks: {
            Ask: {
              worker: 'Worker:Model',
              contract: 'Describe the Zebra.',
              transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
            },
          },
        },
      },
    },
  });
});
afterEach(async () => {
  await here.remove();
  await server.close();
});

test('runs and calls are found by their words and figures, each with the command that shows it', async () => {
  expect((await robosmith('run', 'Main', '--in', '.', '--trust', '--input', 'Mention giraffes')).code).toBe(0);
  const found = async (...args: readonly string[]): Promise<readonly FoundWork[]> => {
    const { out } = await robosmith('find', ...args, '--json');
    return (JSON.parse(out) as { readonly found: readonly FoundWork[] }).found;
  };
  // The input is the run's, and part of the prompt.
  const both = await found('giraffes');
  expect(both.map(({ kind, what }) => [kind, what]).toSorted()).toEqual([
    ['call', 'Main__Ask'],
    ['run', 'Main'],
  ]);
  for (const { open } of both) expect((await robosmith(...open.split(' ').slice(1))).code).toBe(0);
  expect((await found('the zebra')).map(({ kind }) => kind)).toEqual(['call']);
  expect((await found('--block', 'Ask', '--model', 'tiny', '--since', '1h')).length).toBe(2);
  expect((await found('--outcome', 'completed')).map(({ kind }) => kind)).toEqual(['run']);
  const nothing = await robosmith('find', 'okapi');
  expect([nothing.code, nothing.out]).toEqual([1, 'No run and no call matches.\n']);
  expect((await robosmith('find', '--cost-above', '5')).code).toBe(1);
});

test.each([
  [[], 'Say what to find: '],
  [['--cost-above', 'much'], '--cost-above takes an amount in US dollars'],
  [['--since', 'yesterday'], '--since takes an age'],
  [['x', '--limit', '0'], '"0" is not a number of results.'],
  [['!!'], 'The text to find needs a letter or a digit.'],
])('find %j is refused', async (args, message) => {
  const { code, err } = await robosmith('find', ...args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});
