import type { CallRecord } from '#protocol/call-record.ts';

const MS = { queued: 1, first_token: 200, total: 1_500 };
const USAGE = { input: 100, output: 20, cached: 40, reasoning: 0, source: 'provider' } as const;

/** Creates the log record of a call that failed with one key and succeeded with the next. */
export function callRecord(number: number, more: Partial<CallRecord> = {}): CallRecord {
  return {
    v: 1,
    call: `c${number.toString(16).padStart(7, '0')}`,
    origin: null,
    started_at: Date.UTC(2026, 10, 21, 8, 0, 0, 0) + number * 1_000,
    run: 'r3f2a91',
    session: null,
    task: null,
    node: 'Main',
    block: 'Main__Write',
    visit: 1,
    attempt: 1,
    step: 'r/Main__Write#1',
    conversation: 'r3f2a91/Main__Write',
    pool: 'default',
    request: {
      provider: 'anthropic',
      model: 'claude-x',
      base_url: null,
      schema: null,
      max_output_tokens: 500,
      temperature: 0,
      stream: true,
      cut: [],
      segments: [
        { layer: 2, name: 'contract', role: 'system', text: 'Write it.', tokens: 7 },
        { layer: 1, name: 'USER_INPUT s.1', role: 'user', text: 'Make it\ngreen.', tokens: 8 },
      ],
    },
    attempts: [
      {
        key: 'first',
        started_at: 1,
        outcome: 'rate_limit',
        finish: null,
        tokens_used: null,
        facts: {
          phase: 'answer',
          status: 429,
          headers: { 'retry-after': '7' },
          body: '{}',
          error: 'HttpError',
          begun: false,
        },
        cost_micro_usd: null,
        ms: { ...MS, first_token: null, total: 40 },
        raw: null,
      },
      {
        key: 'second',
        started_at: 2,
        outcome: 'ok',
        finish: 'stop',
        facts: null,
        tokens_used: USAGE,
        cost_micro_usd: 600,
        ms: MS,
        raw: '{"raw":1}',
      },
    ],
    outcome: 'ok',
    answer: { text: 'One.\nTwo.\nSIGNAL:SUCCESS', finish: 'stop' },
    tokens_used: USAGE,
    cost: { micro_usd: 600, source: 'genai-prices@0.1.8' },
    ms: MS,
    ...more,
  };
}
