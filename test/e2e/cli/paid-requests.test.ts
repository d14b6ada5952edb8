import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Fault, type FaultServer, startFaultServer } from '../../support/fault-server.ts';
import type { Said } from '../../support/faults.ts';
import { type Ended, ended, type Project, project, start, to } from './robosmith.ts';

const SECRET = 'sk-test-0123456789abcdef';

let server: FaultServer;
const projects: Project[] = [];
beforeEach(async () => {
  server = await startFaultServer();
});
afterEach(async () => {
  for (const one of projects.splice(0)) await one.remove();
  await server.close();
});

const manifest = (url: string, pool: object = {}, worker: object = {}) => ({
  version: 1,
  entry: 'Main',
  pools: { p: { keys: ['local'], ...pool } },
  workers: {
    'Worker:Model': { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: url, pool: 'p', ...worker },
  },
  nodes: {
    Main: {
      entry_block: 'Ask',
      blocks: {
        Ask: {
          worker: 'Worker:Model',
          contract: 'Say hello.',
          transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
        },
      },
    },
  },
});

async function projectAt(url: string, pool: object = {}, worker: object = {}): Promise<Project> {
  const made = await project({ '.flow/.keep': '', '.vision/workflows.json': manifest(url, pool, worker) });
  projects.push(made);
  return made;
}

const run = ({ folder }: Project, url: string, config?: string): Promise<Ended> => {
  const environment = { ROBOSMITH_KEY_LOCAL: SECRET, ROBOSMITH_URL_LOCAL: url };
  const args = ['run', 'Main', '--in', '.', '--trust'];
  const link = config === undefined ? {} : { ROBOSMITH_CONFIG_DIR: config };
  return ended(start(args, folder, { ...environment, ...link }));
};

test('a stream that always breaks is paid for three times, then the block fails and says why', async () => {
  const url = server.url('cut');
  const { code, err } = await run(await projectAt(url), url);
  expect(code).toBe(3);
  expect(err).toContain('The answer started and was cut off 3 times; each time is billed.');
  expect(server.seen).toHaveLength(3);
});

test('an answer that comes slowly and without end is ended, and its only key is asked once', async () => {
  const url = server.url('drip-text');
  const { code, err } = await run(await projectAt(url, {}, { params: { total_ms: 500 } }), url);
  expect(code).toBe(3);
  expect(err).toContain('(total_ms)');
  expect(server.seen).toHaveLength(1);
});

/** Runs a workflow in two projects of the same user, one after the other. */
async function two(pool: object, ...answers: readonly (Fault | Said)[]) {
  const url = server.byTurn(...answers);
  const [one, other] = [await projectAt(url, pool), await projectAt(url, pool)];
  const config = path.join(one.folder, '..', 'config');
  return { first: await run(one, url, config), second: await run(other, url, config) };
}

test('a key that cools is not asked from another project of the same user', async () => {
  const slow = { status: 429, headers: { 'retry-after': '600' }, body: '{"error":{"message":"slow"}}' };
  const { first, second } = await two({}, slow, 'none');
  expect([first.code, second.code]).toEqual([3, 3]);
  expect(second.err).toContain('local: cooling');
  expect(server.seen).toHaveLength(1);
});

test('a budget of a key counts what other projects of the same user have spent', async () => {
  const { first, second } = await two({ budget: { key: { requests: 1 } } }, 'none');
  expect([first.code, second.code]).toEqual([0, 3]);
  expect(second.err).toContain('local: healthy (budget)');
  expect(server.seen).toHaveLength(1);
});
