import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../../../e2e/verifies.ts';
import { haltsOf, type ModelProject, projectWithModels } from './project-with-models.ts';

let project: ModelProject;
beforeEach(async () => {
  project = await projectWithModels();
});
afterEach(() => project.remove());

/** Returns the reason and the block of the run's halt, and the last output, or `done` if the run succeeds. */
const waitOf = async (more: object, task?: string): Promise<readonly [string, string, string] | 'done'> => {
  const response = await project.run(more, task === undefined ? {} : { task });
  const [halt] = haltsOf(response);
  if (halt === undefined) return response.success ? 'done' : [response.reason ?? '', '', ''];
  return [halt.why, halt.block, halt.last?.content ?? ''];
};

test('without a budget all are asked', async () => {
  expect(await waitOf({})).toBe('done');
  expect(project.server.seen).toHaveLength(3);
});

test('of a node: what others do does not count', async () => {
  verifies('workers.pool.budgets');
  const budgets = { node: { requests: 1 } };
  expect(await waitOf({ budgets })).toEqual([
    'budget',
    'Main__B',
    'the budget of the node is used up: 1 requests of 1 requests. To go on, raise it in the manifest, and resume with --manifest new --retry',
  ]);
  expect(project.server.seen).toHaveLength(1);
  expect(await waitOf({ budgets: { node: { requests: 2 } } })).toBe('done');
});

test('of a run: all of its nodes count, another run begins anew', async () => {
  verifies('workers.pool.budgets');
  const budgets = { run: { requests: 2 } };
  for (const run of [1, 2]) {
    expect((await waitOf({ budgets })).slice(0, 2)).toEqual(['budget', 'Sub__C']);
    expect(project.server.seen).toHaveLength(2 * run);
  }
});

test('of a task: all of its runs count, another task does not', async () => {
  verifies('workers.pool.budgets');
  const budgets = { task: { requests: 4 } };
  expect(await waitOf({ budgets }, 'task-one')).toBe('done');
  expect(await waitOf({ budgets }, 'task-one')).toEqual([
    'budget',
    'Main__B',
    'the budget of the task is used up: 4 requests of 4 requests. To go on, raise it in the manifest, and resume with --manifest new --retry',
  ]);
  expect(await waitOf({ budgets }, 'task-two')).toBe('done');
  expect(await waitOf({ budgets })).toBe('done');
});

test('of a day: all runs count, also after a restart', async () => {
  verifies('workers.pool.budgets');
  const budgets = { day: { requests: 4 } };
  expect(await waitOf({ budgets })).toBe('done');
  expect((await waitOf({ budgets })).slice(0, 2)).toEqual(['budget', 'Main__B']);
  expect((await waitOf({ budgets })).slice(0, 2)).toEqual(['budget', 'Main__A']);
  expect(project.server.seen).toHaveLength(4);
});

test('in money: an unknown price halts, one that the user has written counts', async () => {
  verifies('workers.pool.user-prices', 'workers.pool.unknown-price');
  const budgets = { run: { usd: 0.00261 } };
  expect(await waitOf({ budgets })).toEqual([
    ...['budget', 'Main__A'],
    'the budget of the run is an amount of money, and the price of this model is unknown: write it into .vision/prices.json, or set the budget in tokens',
  ]);
  expect(project.server.seen).toHaveLength(0);
  // A call has 3 output tokens at 10 dollars per million: 30 millionths of a dollar per call. It begins only if the
  // budget can pay for 256 output tokens, and asks for no more than the budget can pay for.
  writeFileSync(path.join(project.config, 'prices.json'), '{"tiny": {"input": 0, "output": 10}}');
  expect(await waitOf({ budgets })).toEqual([
    ...['budget', 'Sub__C'],
    "the budget of the run can't pay for this call, which needs at least $0.002560: $0.000060 of $0.002610 are used. To go on, raise it in the manifest, and resume with --manifest new --retry",
  ]);
  const maxima = project.server.seen.map(({ body }) => (JSON.parse(body) as { max_tokens?: number }).max_tokens);
  expect(maxima).toEqual([261, 258]);
});
