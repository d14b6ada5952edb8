import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderName } from '#protocol/provider.ts';
import type { FailureClass } from '#protocol/failure-class.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { CONSEQUENCES, PROVIDERS } from './failure-rows.ts';
import { openWholePool, SECRETS } from './whole-pool.ts';

const TEXT = 'An answer of the mock that others wrote.\nSIGNAL:SUCCESS';

const MODELS: Readonly<Record<ProviderName, readonly [path: string, model: string]>> = {
  openai: ['/v1', 'gpt-5'],
  anthropic: ['/v1', 'claude-sonnet-4-5'],
  google: ['/v1beta', 'gemini-2.5-flash'],
  'openai-compatible': ['/v1', 'tiny'],
};

/** The mock server `open` accepts both keys, `guarded` only the second. */
const open = new LLMock({ port: 0, strict: true });
const guarded = new LLMock({ port: 0, strict: true, auth: { apiKeys: [SECRETS.second] } });
const pool = openWholePool();

beforeAll(async () => {
  for (const mock of [open, guarded]) {
    mock.onMessage('Hi.', { content: TEXT });
    await mock.start();
  }
});
afterAll(async () => {
  await pool.close();
  for (const mock of [open, guarded]) await mock.stop();
});

describe.each(PROVIDERS)('%s', (provider) => {
  const [path, model] = MODELS[provider];
  const ask = (mock: LLMock, stream: boolean) => pool.call({ provider, baseUrl: `${mock.url}${path}`, stream, model });

  test.each([true, false])('a key that the mock does not know, streaming %s: the next one answers', async (stream) => {
    verifies('workers.pool.execute', 'workers.pool.classes');
    const { result, record, table } = await ask(guarded, stream);
    expect(result).toMatchObject({ kind: 'answered', key: 'second', text: TEXT });
    expect(table.map(({ state }) => state)).toEqual(['invalid', 'healthy']);
    expect(record).toMatchObject({ outcome: 'ok', attempts: [{ outcome: 'invalid_key' }, { outcome: 'ok' }] });
  });

  const cases: readonly (readonly [status: number, failure: FailureClass])[] = [
    [429, 'rate_limited'],
    [402, 'exhausted'],
    [500, 'server_error'],
    [408, 'timeout'],
    [404, 'model_not_found'],
    [400, 'bad_request'],
  ];
  test.each(cases.flatMap((one) => [true, false].map((stream) => [...one, stream] as const)))(
    'status %i of the mock is %s, streaming %s',
    async (status, failure, stream) => {
      open.nextRequestError(status, { message: 'No.', type: 'mocked' });
      const { result, record, table } = await ask(open, stream);
      const { waits, state } = CONSEQUENCES[failure];
      expect(table.map((key) => key.state)).toEqual([state, 'healthy']);
      if (waits === null) {
        expect(result).toMatchObject({ kind: 'failed', class: failure });
        expect(record?.attempts.map(({ outcome }) => outcome)).toEqual([failure]);
      } else {
        expect(result).toMatchObject({ kind: 'answered', key: 'second', text: TEXT });
        expect(record?.attempts.map(({ key, outcome }) => [key, outcome])).toEqual([
          ['first', failure],
          ['second', 'ok'],
        ]);
      }
    },
  );
});
