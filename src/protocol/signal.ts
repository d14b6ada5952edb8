import type { Signal } from './id.ts';

const engineSignal = (name: string): Signal => `SIGNAL:${name}` as Signal;

/**
 * The row that matches any signal without a row of its own. A worker that emits `FAIL_DEFAULT` itself breaks its
 * contract.
 */
export const FAIL_DEFAULT = engineSignal('FAIL_DEFAULT');
export const SUCCESS = engineSignal('SUCCESS');
export const FAILURE = engineSignal('FAILURE');
/** The worker threw, broke its contract or failed its precondition; or a child frame failed. */
export const ERROR = engineSignal('ERROR');
export const TIMEOUT = engineSignal('TIMEOUT');
/** A model's answer does not match the block's `validation.schema`. */
export const VALIDATION_FAIL = engineSignal('VALIDATION_FAIL');
/** A person has rejected the work at a block of `Internal:ManualIntervention`. */
export const REJECTED = engineSignal('REJECTED');
/** A model's answer has no `SIGNAL:…`. */
export const NO_SIGNAL = engineSignal('NO_SIGNAL');

const PATTERN = /^SIGNAL:[A-Z0-9_]+$/;

export const isSignal = (text: unknown): text is Signal => typeof text === 'string' && PATTERN.test(text);
