import { createKeyPool, type KeyPoolParts } from '#actors/keys/index.ts';
import type { AiRequest, AttemptFacts, AttemptOutcome, TokenUsage } from '#protocol/ai-call.ts';
import type { FinishedCall } from '#protocol/finished-call.ts';
import type { KeyDefinition, PoolSettings, WorkOrder } from '#protocol/key-pool.ts';
import { EVERY_KEY } from '#logic/keys/read-pool.ts';
import { createTestClock } from '../../../model/keys/test-clock.ts';

export const START = Date.UTC(2026, 10, 21, 12);

export const REQUEST: AiRequest = {
  provider: 'openai',
  model: 'gpt-5.5',
  baseUrl: null,
  instructions: 'You write code.',
  messages: [{ role: 'user', content: 'Write it.' }],
  schema: null,
  maxOutputTokens: null,
  temperature: null,
  limits: { firstTokenMs: 1_000, idleMs: 1_000, totalMs: 1_000 },
};

export const NO_SCOPE: WorkOrder['scope'] = {
  session: null,
  run: null,
  task: null,
  node: null,
  block: null,
  visit: null,
};

export const key = (alias: string, more: Partial<KeyDefinition> = {}): KeyDefinition => ({
  alias,
  provider: 'openai',
  baseUrl: null,
  account: null,
  ...more,
});

export const used = (input: number, output: number): TokenUsage => ({
  input,
  output,
  cached: 0,
  reasoning: 0,
  source: 'provider',
});

const times = { firstTokenMs: 5, totalMs: 9 };

export const good = (text: string, usage: TokenUsage | null = used(70, 30)): AttemptOutcome => ({
  ok: true,
  text,
  finish: 'stop',
  usage,
  times,
});

export const bad = (status: number | null, body = '', more: Partial<AttemptFacts> = {}): AttemptOutcome => ({
  ok: false,
  facts: { phase: 'answer', status, headers: {}, body, error: '', begun: false, ...more },
  usage: null,
  times,
});

/** The provider's reaction to the n-th attempt. `say` streams text. */
export type Behaviour = (
  alias: string,
  nth: number,
  say: (text: string) => void,
  signal: AbortSignal,
) => AttemptOutcome | Promise<AttemptOutcome>;

export function poolUnderTest(keys: readonly KeyDefinition[], behave: Behaviour, more: Partial<KeyPoolParts> = {}) {
  const { clock, advance } = createTestClock(START);
  const records: FinishedCall[] = [];
  const reports: string[] = [];
  const asked: string[] = [];
  let calls = 0;
  const parts: KeyPoolParts = {
    keys,
    clock,
    client: {
      attempt: async (_request, secret, signal, onText) => {
        const alias = secret.replace(/^sk-secret-/, '');
        asked.push(alias);
        return behave(alias, asked.length, onText, signal);
      },
    },
    secrets: { get: (alias) => `sk-secret-${alias}` },
    prices: { microUsd: (_request, { input, output }) => input + 5 * output },
    sink: {
      take: (record) => {
        records.push(record);
        return Promise.resolve();
      },
    },
    file: null,
    newId: () => `call-${(calls += 1)}`,
    report: (message) => reports.push(message),
    ...more,
  };
  const pool = createKeyPool(parts);
  const order = (wish: Partial<WorkOrder> = {}): WorkOrder => ({
    request: REQUEST,
    pool: EVERY_KEY,
    scope: NO_SCOPE,
    budgets: {},
    deadline: START,
    signal: new AbortController().signal,
    reader: null,
    ...wish,
  });
  const settings = (wish: Partial<PoolSettings>): PoolSettings => ({ ...EVERY_KEY, name: 'default', ...wish });
  return { pool, order, settings, asked, records, reports, advance, clock };
}
