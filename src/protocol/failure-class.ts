/** Why an attempt with a key failed (spec/workers.md "The key pool"). The table is closed; `policy` of a pool names these. */
export const FAILURE_CLASSES = [
  /** 429 for a moment: requests or tokens a minute. */
  'rate_limited',
  /** 429 for long: a limit a day, a week or a month. */
  'quota_window',
  /** Nothing is left to spend: 402, insufficient quota, no credit. */
  'exhausted',
  /** 401: no such key, revoked, expired. */
  'invalid_key',
  /** 403: this key may not, here or with this. */
  'forbidden',
  'model_not_found',
  /** 400, 422 and whatever else is wrong with the request itself. */
  'bad_request',
  /** 413, or more tokens than the model or the account takes at once. */
  'context_length',
  'content_filter',
  /** 408, 504, and our own limits of time. */
  'timeout',
  'server_error',
  /** 529, or a 503 that says so. */
  'overloaded',
  'network',
  'dns',
  'tls',
  /** The answer had begun, and did not end. */
  'stream_cut',
  /** An answer that is none of this protocol. */
  'malformed',
  'empty',
] as const;

export type FailureClass = (typeof FAILURE_CLASSES)[number];

/**
 * `next_key`: the next key, and nothing to this one. `cool`: what is to blame (key, account or endpoint) rests; the next key.
 * `disable`: this key is used no more until a person says so; the next key. `fail`: the caller is told.
 */
export type FailurePolicy = 'next_key' | 'cool' | 'disable' | 'fail';

export type KeyState = 'healthy' | 'cooling' | 'half_open' | 'exhausted' | 'invalid' | 'disabled';
