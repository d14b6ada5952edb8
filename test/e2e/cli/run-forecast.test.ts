import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import { type Ended, ended, type Project, project, start, to } from './robosmith.ts';

let server: FaultServer;
let here: Project;
beforeEach(async () => {
  server = await startFaultServer();
  const worker = { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: server.url('none') };
  const halt = to('FAIL_DEFAULT', 'HALT_AND_FLAG');
  here = await project({
    '.flow/.keep': '',
    '.vision/prices.json': { 'openai-compatible/tiny': { input: 1, output: 2 } },
    '.vision/workflows.json': {
      version: 1,
      entry: 'Main',
      budgets: { run: { usd: 2, requests: 9 } },
      workers: { 'Worker:Model': worker },
      nodes: {
        Main: {
          entry_block: 'Ask',
          blocks: {
            Ask: { worker: 'Worker:Model', contract: 'Say hello.', transitions: [to('SUCCESS', 'JUMP:Check'), halt] },
            Check: {
              worker: 'Internal:Command',
              params: { command: [process.execPath, '-e', '0'] },
              transitions: [to('SUCCESS', 'RETURN'), halt],
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

const robosmith = (...args: readonly string[]): Promise<Ended> =>
  ended(
    start(args, here.folder, { ROBOSMITH_KEY_LOCAL: 'sk-test-0123456789', ROBOSMITH_URL_LOCAL: server.url('none') }),
  );

const forecast = async (): Promise<Readonly<Record<string, unknown>>> => {
  const { code, out, err } = await robosmith('run', 'Main', '--in', '.', '--forecast', '--json');
  expect(code, err).toBe(0);
  return JSON.parse(out) as Readonly<Record<string, unknown>>;
};

const folderOf = (name: string): readonly string[] => readdirSync(path.join(here.folder, name));

test('a forecast without earlier runs prices the prompt, starts nothing, and says what is unknown', async () => {
  const made = await forecast();
  expect(made).toMatchObject({
    ok: true,
    past_runs: 0,
    calls: { p10: 1, p50: 1, p90: 1 },
    ceiling: { micro_usd: 2_000_000, calls: 9, tokens: null, except_agents: false },
    unknown: [
      { block: 'Main__Ask', what: 'no_past', model: 'openai-compatible/tiny' },
      { block: 'Main__Check', what: 'no_past' },
    ],
    earlier: { runs: 0 },
  });
  expect(server.seen).toEqual([]);
  expect(folderOf('.flow')).not.toContain('runs');
});

test('a run stores its forecast, is compared with it, and counts in the share', async () => {
  const run = ['run', 'Main', '--in', '.', '--trust'];
  const first = await robosmith(...run);
  expect(first.code, first.err).toBe(0);
  expect(first.err).not.toContain('The forecast was');
  const second = await robosmith(...run);
  expect(second.code, second.err).toBe(0);
  expect(second.err).toMatch(/The forecast was 1 call, \d+ tokens, .*: /);
  const stored = folderOf('.flow/runs').map((id) => folderOf(`.flow/runs/${id}`).includes('forecast.json'));
  expect(stored.toSorted()).toEqual([false, true]);
  expect(await forecast()).toMatchObject({
    past_runs: 2,
    completes: 1,
    calls: { p10: 1, p50: 1, p90: 1 },
    unknown: [],
    earlier: { runs: 1, calls: 1, tokens: 1 },
  });
  // Deleting the index changes nothing: it is built from the journals.
  const index = readFileSync(path.join(here.folder, '.flow/past-runs.jsonl'), 'utf8');
  expect(index.trim().split('\n').length).toBeGreaterThan(1);
  const table = await robosmith('run', 'Main', '--in', '.', '--forecast');
  expect(table.out).toMatch(/^calls +1 +1 +1$/m);
  expect(table.out).toContain('Budgets allow at most $2.00, 9 calls.');
});

test('--forecast is refused with flags that need a run', async () => {
  const { code, err } = await robosmith('run', 'Main', '--in', '.', '--forecast', '--detach');
  expect(code).toBe(2);
  expect(err).toContain("--forecast and --detach can't be combined.");
});
