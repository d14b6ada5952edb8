/** The closed table of causes why an attempt with a key failed; a pool's `policy` names these. */
export const FAILURE_CLASSES = [
  /** 429 for a short time: requests or tokens per minute. */
  'rate_limited',
  /** 429 for a long time: a limit per day, week or month. */
  'quota_window',
  /** Nothing is left to spend: 402, insufficient quota, no credit. */
  'exhausted',
  /** 401: no such key, revoked, expired. */
  'invalid_key',
  /** 403: this key lacks permission. */
  'forbidden',
  'model_not_found',
  /** 400, 422 and other faults of the request itself. */
  'bad_request',
  /** 413, or more tokens than the model or the account accepts. */
  'context_length',
  'content_filter',
  /** 408, 504, and our own timeouts. */
  'timeout',
  'server_error',
  /** 529, or a 503 that reports an overload. */
  'overloaded',
  'network',
  'dns',
  'tls',
  /** The answer began but did not end. */
  'stream_cut',
  /** The answers of one call began and broke off three times: a class of calls, never of a single attempt. */
  'stream_broken',
  /** The answer exceeds 64 MiB. */
  'answer_too_large',
  /** The answer does not follow the protocol. */
  'malformed',
  'empty',
] as const;

export type FailureClass = (typeof FAILURE_CLASSES)[number];

/**
 * `next_key`: try the next key. `cool`: rest the key, account or endpoint that is to blame, and try the next key.
 * `disable`: stop using this key until a person enables it, and try the next one. `fail`: fail the call.
 */
export type FailurePolicy = 'next_key' | 'cool' | 'disable' | 'fail';

export type KeyState = 'healthy' | 'cooling' | 'half_open' | 'exhausted' | 'invalid' | 'disabled';
