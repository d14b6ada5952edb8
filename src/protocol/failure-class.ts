/** The closed table of reasons why an attempt with a key failed. The `policy` of a pool uses these names. */
export const FAILURE_CLASSES = [
  /** 429 for a short time: requests or tokens per minute. */
  'rate_limited',
  /** 429 for a long time: a limit per day, week or month. */
  'quota_window',
  /** The account has no credit left: 402, insufficient quota. */
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
  /** The stream of the answer broke off before its end. */
  'stream_cut',
  /** The answers of one call broke off three times. Only a call can have this class, never a single attempt. */
  'stream_broken',
  /** The answer exceeds 64 MiB. */
  'answer_too_large',
  /** The answer does not follow the protocol. */
  'malformed',
  'empty',
] as const;

export type FailureClass = (typeof FAILURE_CLASSES)[number];

/**
 * `next_key`: try the next key. `cool`: pause the key, account or endpoint that caused the failure, and try the next
 * key. `disable`: stop using this key until a person enables it, and try the next one. `fail`: fail the call.
 */
export type FailurePolicy = 'next_key' | 'cool' | 'disable' | 'fail';

export type KeyState = 'healthy' | 'cooling' | 'half_open' | 'exhausted' | 'invalid' | 'disabled';
