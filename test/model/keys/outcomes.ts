import type { AttemptFacts, AttemptOutcome } from '#protocol/ai-call.ts';

/** The meaning of an outcome for the naive pool, which does not know how providers express it. */
export interface Meaning {
  readonly name: string;
  /**
   * The cause of the failure. `model`: this model with this key; `account_model`: this model with all keys of the
   * account.
   */
  readonly blames: 'nobody' | 'key' | 'model' | 'account' | 'account_model' | 'endpoint';
  readonly as: 'ok' | 'cooling' | 'exhausted' | 'invalid' | 'none';
  /** The wait in milliseconds that the provider states; null if it states none. */
  readonly statedMs: number | null;
  /**
   * The shortest and the longest estimated wait in milliseconds. It grows from one to the other over failures in a row.
   */
  readonly guess: readonly [number, number];
  readonly next: 'done' | 'again' | 'not_this_key' | 'fails';
}

const SHORT = [5_000, 300_000] as const;
const LONG = [3_600_000, 86_400_000] as const;
const POINT = [1_000, 60_000] as const;

const times = { firstTokenMs: 10, totalMs: 20 };

const failure = (facts: Partial<AttemptFacts>): AttemptOutcome => ({
  ok: false,
  facts: { phase: 'answer', status: null, headers: {}, body: '', error: '', begun: false, ...facts },
  usage: null,
  times,
});

const refused = (status: number, code: string, message: string, headers: AttemptFacts['headers'] = {}) =>
  failure({ status, headers, body: JSON.stringify({ error: { code, message } }) });

const good: AttemptOutcome = {
  ok: true,
  text: 'fine',
  finish: 'stop',
  usage: { input: 70, output: 30, cached: 0, reasoning: 0, source: 'provider' },
  times,
};

type Row = readonly [Meaning, (secret: string) => AttemptOutcome];

const row = (
  name: string,
  [blames, as]: readonly [Meaning['blames'], Meaning['as']],
  statedMs: number | null,
  guess: Meaning['guess'],
  next: Meaning['next'],
  make: (secret: string) => AttemptOutcome,
): Row => [{ name, blames, as, statedMs, guess, next }, make];

const NOBODY = ['nobody', 'none'] as const;

/**
 * Outcomes in OpenAI's protocol. Good answers are listed several times, so that they are as frequent as a history
 * needs.
 */
export const OUTCOMES: readonly Row[] = [
  row('good', ['key', 'ok'], null, SHORT, 'done', () => good),
  row('good', ['key', 'ok'], null, SHORT, 'done', () => good),
  row('good', ['key', 'ok'], null, SHORT, 'done', () => good),
  row('429', ['account', 'cooling'], null, SHORT, 'again', () => refused(429, 'rate_limit_exceeded', 'Slow.')),
  row('429 told', ['account', 'cooling'], 7_000, SHORT, 'again', () =>
    refused(429, 'rate_limit_exceeded', 'Slow.', { 'retry-after': '7' }),
  ),
  row('429 told too little', ['account', 'cooling'], 0, SHORT, 'again', () =>
    refused(429, 'rate_limit_exceeded', 'Slow.', { 'retry-after-ms': '0' }),
  ),
  row('a day', ['account', 'cooling'], 432_000, LONG, 'again', () =>
    refused(429, 'rate_limit_exceeded', 'On requests per day (RPD). Please try again in 7m12s.'),
  ),
  row('no quota', ['account', 'exhausted'], null, LONG, 'again', () =>
    refused(429, 'insufficient_quota', 'You exceeded your current quota.'),
  ),
  row('401', ['key', 'invalid'], null, LONG, 'again', (secret) =>
    refused(401, 'invalid_api_key', `Incorrect API key provided: ${secret}`),
  ),
  row('403', ['key', 'cooling'], null, [600_000, 86_400_000], 'again', () => refused(403, '', 'No.')),
  row('404', ['model', 'cooling'], null, SHORT, 'not_this_key', () =>
    refused(404, 'model_not_found', 'No such model.'),
  ),
  row('429 of the model', ['account_model', 'cooling'], null, SHORT, 'again', () =>
    refused(429, 'rate_limit_exceeded', 'Rate limit reached for m in organization org-1 on tokens per min (TPM).'),
  ),
  row('400', NOBODY, null, SHORT, 'fails', () => refused(400, 'invalid_value', 'No.')),
  row('413', NOBODY, null, SHORT, 'fails', () => refused(413, '', 'Too large.')),
  row('filtered', NOBODY, null, SHORT, 'fails', () => ({ ...good, text: '', finish: 'content_filter' })),
  row('empty', NOBODY, null, SHORT, 'not_this_key', () => ({ ...good, text: ' ' })),
  row('timeout', NOBODY, null, SHORT, 'not_this_key', () => failure({ error: 'TimeoutError' })),
  row('500', ['endpoint', 'cooling'], null, POINT, 'again', () => refused(500, 'server_error', 'Sorry.')),
  row('503 told', ['endpoint', 'cooling'], 3_000, POINT, 'again', () =>
    refused(503, '', 'Overloaded', { 'retry-after': '3' }),
  ),
  row('reset', ['endpoint', 'cooling'], null, POINT, 'again', () =>
    failure({ phase: 'connect', error: 'Error ECONNRESET' }),
  ),
  row('cut', ['endpoint', 'cooling'], null, POINT, 'again', () => ({ ...good, finish: 'interrupted' })),
];
