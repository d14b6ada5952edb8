import type { ProviderName } from '#protocol/provider.ts';
import type { FailureClass, FailurePolicy, KeyState } from '#protocol/failure-class.ts';
import type { Fault, Said } from '../../../support/faults.ts';
import { VENDOR_FAILURES } from '../../../support/vendor-failures.ts';
import type { LIMITS } from './whole-pool.ts';

export const PROVIDERS = ['openai', 'anthropic', 'google', 'openai-compatible'] as const;

/** One failure: the endpoint's answer to the first key. The second key always gets a successful answer. */
export interface FailureRow {
  readonly name: string;
  readonly provider: ProviderName;
  readonly stream: boolean;
  readonly said: Fault | Said;
  readonly class: FailureClass;
  /** The wait that the answer requests, in milliseconds after the test's start time (noon); null for none. */
  readonly demanded: number | null;
  readonly limits?: keyof typeof LIMITS;
}

const SECOND = 1_000;
const HOUR = 3_600_000;

export interface Consequence {
  readonly policy: FailurePolicy;
  /** The state of the key that failed. */
  readonly state: KeyState;
  /** How long the key cools, in milliseconds, if the answer requests no wait; null if it doesn't cool. */
  readonly rests: number | null;
  /** The time in milliseconds until the second key is tried; null if no other key is tried. */
  readonly waits: number | null;
}

const untouched = { state: 'healthy', rests: null } as const;
const asksNext = { policy: 'next_key', ...untouched, waits: 0 } as const;
const failsCall = { policy: 'fail', ...untouched, waits: null } as const;
/** The endpoint and all its keys cool; then the next key is tried. */
const endpointRests = { policy: 'cool', ...untouched, waits: SECOND } as const;
const keyRests = (rests: number) => ({ policy: 'cool', state: 'cooling', rests, waits: 0 }) as const;

/** The consequences of each failure class, as docs/decisions/2026-11-21-key-pool.md explains them. */
export const CONSEQUENCES: Readonly<Record<FailureClass, Consequence>> = {
  rate_limited: keyRests(5 * SECOND),
  quota_window: keyRests(HOUR),
  exhausted: { policy: 'cool', state: 'exhausted', rests: HOUR, waits: 0 },
  invalid_key: { policy: 'disable', state: 'invalid', rests: null, waits: 0 },
  forbidden: keyRests(600 * SECOND),
  // Another key may have access to the model.
  model_not_found: { policy: 'cool', ...untouched, waits: 0 },
  bad_request: failsCall,
  context_length: failsCall,
  content_filter: failsCall,
  timeout: asksNext,
  server_error: endpointRests,
  overloaded: endpointRests,
  network: endpointRests,
  dns: endpointRests,
  tls: failsCall,
  stream_cut: endpointRests,
  stream_broken: failsCall,
  answer_too_large: failsCall,
  malformed: endpointRests,
  empty: asksNext,
};

/** Limits that, according to the provider, apply to one model only. The key stays healthy for other models. */
const OF_ONE_MODEL: ReadonlySet<string> = new Set([
  'openai: tokens a minute, told in words',
  'openai: tokens a minute, told in milliseconds',
  'openai: requests a day',
  'google: a minute, told in the body',
  'google: a day',
]);

export function consequenceOf({ class: failure, provider, name }: FailureRow): Consequence {
  const one = CONSEQUENCES[failure];
  return OF_ONE_MODEL.has(`${provider}: ${name}`) ? { ...one, ...untouched } : one;
}

/** Returns the wait in milliseconds, at least one second; null if there is none. */
export const restOf = (demanded: number | null, guess: number | null): number | null =>
  demanded === null ? guess : Math.max(demanded, SECOND);

type Both = readonly [streamed: FailureClass | null, whole: FailureClass | null];

const answer429 = (headers: Readonly<Record<string, string>>, body = '{"error":{"message":"slow"}}'): Said => ({
  status: 429,
  headers,
  body,
});

/**
 * Failures that all providers have in common, with the failure class in a streamed and in a whole answer; null if the
 * failure can't occur there.
 */
const ALIKE: readonly (readonly [Fault | Said, ...Both, demanded?: number | null, limits?: keyof typeof LIMITS])[] = [
  ['html-502', 'server_error', 'server_error'],
  ['endless-error', 'server_error', 'server_error'],
  ['redirect', 'bad_request', 'bad_request'],
  ['cut-before-headers', 'network', 'network'],
  ['cut', 'stream_cut', 'network'],
  ['truncation', 'stream_cut', 'malformed'],
  ['wrong-content-type', 'malformed', 'malformed'],
  ['broken-json', 'malformed', 'malformed'],
  ['empty-answer', 'empty', 'empty'],
  ['empty-body', 'malformed', 'malformed'],
  ['filtered', 'content_filter', 'content_filter'],
  ['status-408', 'timeout', 'timeout'],
  ['hang-before-headers', 'timeout', 'timeout', null, 'total'],
  ['hang-after-headers', 'timeout', null, null, 'first'],
  ['hang-after-headers', null, 'timeout', null, 'total'],
  ['stall', 'timeout', null, null, 'idle'],
  ['drip', 'timeout', 'timeout', null, 'total'],
  ['status-429', 'rate_limited', 'rate_limited', 7 * SECOND],
  [{ status: 403, body: '{}' }, 'forbidden', 'forbidden'],
  [{ status: 422, body: '{}' }, 'bad_request', 'bad_request'],
  [answer429({ 'retry-after-ms': '2500' }), 'rate_limited', 'rate_limited', 2_500],
  [answer429({ 'x-ms-retry-after-ms': '3500' }), 'rate_limited', 'rate_limited', 3_500],
  [answer429({ 'retry-after': 'Sat, 21 Nov 2026 12:00:09 GMT' }), 'rate_limited', 'rate_limited', 9 * SECOND],
  [answer429({ 'retry-after': '0' }), 'rate_limited', 'rate_limited', 0],
  [answer429({ 'retry-after': '7200' }), 'quota_window', 'quota_window', 2 * HOUR],
  [{ status: 503, headers: { 'retry-after': '4' }, body: '{}' }, 'server_error', 'server_error', 4 * SECOND],
];

/** Failures by provider: the class of an error event in a stream, and of the same error as a document. */
const EVENTS: Readonly<Record<ProviderName, readonly [Fault, ...Both][]>> = {
  openai: [
    ['error-event', 'server_error', 'server_error'],
    ['error-event-first', 'server_error', 'server_error'],
  ],
  anthropic: [
    ['error-event', 'overloaded', 'server_error'],
    ['error-event-first', 'overloaded', 'server_error'],
  ],
  google: [
    ['error-event', 'server_error', 'server_error'],
    ['error-event-first', 'server_error', 'server_error'],
  ],
  'openai-compatible': [
    ['error-event', 'server_error', 'server_error'],
    ['error-event-first', 'server_error', 'server_error'],
  ],
};

const nameOf = (said: Fault | Said): string =>
  typeof said === 'string' ? said : `${String(said.status)} ${JSON.stringify(said.headers ?? {})}`;

const faults: readonly FailureRow[] = PROVIDERS.flatMap((provider) =>
  [...ALIKE, ...EVENTS[provider]].flatMap(([said, streamed, whole, demanded = null, limits]) =>
    [true, false].flatMap((stream): FailureRow[] => {
      const failure = stream ? streamed : whole;
      if (failure === null) return [];
      const row = { name: nameOf(said), provider, stream, said, class: failure, demanded };
      return [limits === undefined ? row : { ...row, limits }];
    }),
  ),
);

const asEvents = (body: string): string => (body.startsWith('event:') ? `${body}\n\n` : `data: ${body}\n\n`);

/**
 * The vendors' documented errors, as answers to streamed and whole requests; errors that are sent as events occur in
 * streams only.
 */
const vendors: readonly FailureRow[] = VENDOR_FAILURES.flatMap(({ name, provider, facts, class: failure, waitMs }) => {
  const { phase, status, headers, body } = facts;
  if (status === null || body === '' || facts.begun) return [];
  const inStream = phase === 'stream';
  const said: Said = { status, headers, body: inStream ? asEvents(body) : body };
  return (inStream ? [true] : [true, false]).map((stream) => ({
    name,
    provider,
    stream,
    said,
    class: failure,
    demanded: waitMs,
  }));
});

export const ROWS: readonly FailureRow[] = [...faults, ...vendors];
