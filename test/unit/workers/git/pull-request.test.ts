import { expect, test } from 'vitest';
import type { OpenedPullRequest, ProposedPullRequest } from '#protocol/forge.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { pullRequest } from '#workers/git/pull-request.ts';

const OPENED = { ok: true, url: 'https://github.com/o/r/pull/7', number: 7, isNew: true, commit: 'c0ffee' } as const;

const outcomes = (...results: readonly (readonly [string, string])[]) =>
  ({
    payload: results.map(([type, outcome]) => ({ type, content: 'long output', meta: { outcome } })),
  }) as unknown as BlockMemory;

/** Executes the worker. Returns its result and the pull request that it requested. */
async function execute(memory: BlockMemory, params: JsonObject, opened: OpenedPullRequest = OPENED) {
  const orders: ProposedPullRequest[] = [];
  const services = {
    block: { params },
    files: { settle: () => Promise.resolve() },
    pullRequests: {
      open: (order: ProposedPullRequest) => {
        orders.push(order);
        return Promise.resolve(opened);
      },
    },
    progress: () => undefined,
  } as unknown as Services;
  return { result: await pullRequest.execute(memory, services, new AbortController().signal), orders };
}

test('the newest outcome of each check is told, without its output', async () => {
  const memory = outcomes(['TEST_RESULT', 'FAIL'], ['LINT_RESULT', 'FAIL'], ['NOTE', 'PASS'], ['TEST_RESULT', 'PASS']);
  const { result, orders } = await execute(memory, {});
  expect(orders).toEqual([{ title: null, text: null, checks: ['test: passed', 'lint: failed'], isDraft: false }]);
  expect(result).toEqual({
    signal: 'SIGNAL:SUCCESS',
    append: [
      {
        type: 'PULL_REQUEST',
        content: 'Opened https://github.com/o/r/pull/7',
        meta: { url: 'https://github.com/o/r/pull/7', number: 7, is_new: true, commit: 'c0ffee' },
      },
    ],
    exports: { 'pull_request.url': 'https://github.com/o/r/pull/7', 'pull_request.number': 7 },
  });
});

test('title, body and draft of the settings', async () => {
  const { orders } = await execute(outcomes(), { title: 'Mine', body: ' By hand\n', draft: 'TRUE' });
  expect(orders).toEqual([{ title: 'Mine', text: 'By hand', checks: [], isDraft: true }]);
});

test('a refusal is a failure with its reason', async () => {
  const { result } = await execute(outcomes(), {}, { ok: false, code: 'not_pushed', message: 'a hook refused it' });
  expect(result).toEqual({
    signal: 'SIGNAL:FAILURE',
    append: [
      {
        type: 'PULL_REQUEST_ERROR',
        content: 'There is no pull request (not_pushed): a hook refused it',
        meta: { code: 'not_pushed' },
      },
    ],
  });
});
