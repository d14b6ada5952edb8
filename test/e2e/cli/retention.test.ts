import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ended, ended, type Project, project, start, to } from './robosmith.ts';

let here: Project;
const robosmith = (...args: readonly string[]): Promise<Ended> => ended(start(args, here.folder));

const manifest = (retention: object): object => ({
  version: 1,
  entry: 'Main',
  retention,
  nodes: {
    Main: {
      entry_block: 'Check',
      blocks: {
        Check: {
          worker: 'Internal:Command',
          params: { command: [process.execPath, '-e', 'process.exit(require("fs").existsSync("fail") ? 1 : 0)'] },
          transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
      },
    },
  },
});

beforeEach(async () => {
  here = await project({ '.flow/.keep': '', fail: '', '.vision/workflows.json': manifest({ keep: 1 }) });
});
afterEach(() => here.remove());

const runs = async (): Promise<readonly { readonly run: string; readonly status: string }[]> => {
  const { out } = await robosmith('runs', '--json');
  const { runs: listed } = JSON.parse(out) as {
    runs: readonly { readonly run: string; readonly summary: { readonly status: string } }[];
  };
  return listed.map(({ run, summary }) => ({ run, status: summary.status }));
};

const RUN = ['run', 'Main', '--in', '.', '--trust'] as const;

test('old runs are removed when the process that ran the engine ends, and one that waits stays', async () => {
  expect((await robosmith(...RUN)).code).toBe(3);
  const [halted] = await runs();
  rmSync(here.file('fail'));
  for (let count = 0; count < 3; count += 1) expect((await robosmith(...RUN)).code).toBe(0);
  const left = await runs();
  expect(left.map(({ status }) => status)).toEqual(['completed', 'halted']);
  expect(left.at(-1)?.run).toBe(halted?.run);
  // The run that has waited through all removals continues.
  expect((await robosmith('resume', halted?.run ?? '', '--retry')).code).toBe(0);
});

test.each([
  [{ keep: 0, older_than: '1h' }, 2],
  [{ older_than: '0m' }, 0],
  [{ max_size: '1 KB' }, 0],
  [{ max_size: '500MB' }, 2],
])('a run must match all settings: %j', async (retention, count) => {
  rmSync(here.file('fail'));
  writeFileSync(here.file('.vision/workflows.json'), JSON.stringify(manifest(retention)));
  for (let turn = 0; turn < 2; turn += 1) expect((await robosmith(...RUN)).code).toBe(0);
  expect(await runs()).toHaveLength(count);
});
