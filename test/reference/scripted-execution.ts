import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Reason } from '#protocol/response.ts';
import type { Draft } from './frame.ts';
import { isObject, listOr, numberOr, objectOr, stringOr } from './json-reading.ts';
import type { ProgramBlock } from './program.ts';
import { readAnswer, type AnswerRules } from './read-answer.ts';

export interface Result {
  readonly signal: string;
  readonly byEngine: boolean;
  readonly append: readonly Draft[] | null;
  readonly payload: readonly Draft[] | null;
  readonly exports: ReadonlyMap<string, JsonValue>;
}

export interface FrameFailure {
  readonly reason: Reason;
  readonly details: JsonObject;
}

export interface Execution {
  readonly durationMs: number;
  readonly outcome:
    { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly failure: FrameFailure };
  readonly sideEffects: string;
  /** The log of the first evidence check that fails after the execution; null if all hold. */
  readonly evidenceFails: string | null;
}

const failed = (reason: Reason): Execution['outcome'] => ({ ok: false, failure: { reason, details: {} } });

const SIGNAL = /^SIGNAL:[A-Z0-9_]+$/;

const isDraft = (value: JsonValue): boolean =>
  isObject(value) && typeof value['type'] === 'string' && typeof value['content'] === 'string';

const breaksContract = (entry: JsonObject): boolean => {
  const signal = entry['signal'];
  if (typeof signal !== 'string' || !SIGNAL.test(signal) || signal === 'SIGNAL:FAIL_DEFAULT') return true;
  if (entry['append'] !== undefined && entry['payload'] !== undefined) return true;
  return ![...listOr(entry['append']), ...listOr(entry['payload'])].every(isDraft);
};

const isReserved = (key: string): boolean => key.startsWith('system.') || key.startsWith('config.');

const draftsOf = (value: JsonValue | undefined): readonly Draft[] | null =>
  value === undefined ? null : (listOr(value) as readonly unknown[] as readonly Draft[]);

const resultOf = (entry: JsonObject): Result => ({
  signal: stringOr(entry['signal'], ''),
  byEngine: false,
  append: draftsOf(entry['append']),
  payload: draftsOf(entry['payload']),
  exports: new Map(Object.entries(objectOr(entry['exports'])).filter(([key]) => !isReserved(key))),
});

const outcomeOf = (entry: JsonObject | null, rules: AnswerRules): Execution['outcome'] => {
  if (entry === null || 'error' in entry) return failed('worker_error');
  if (typeof entry['text'] === 'string') {
    const answer = readAnswer(entry['text'], rules);
    if (answer.signal === 'SIGNAL:FAIL_DEFAULT') return failed('worker_contract_violation');
    return { ok: true, result: { ...answer, payload: null } };
  }
  return breaksContract(entry) ? failed('worker_contract_violation') : { ok: true, result: resultOf(entry) };
};

/**
 * Ends an execution after its delay, or at the block's time limit. An execution that ends exactly at the limit is not
 * timed out.
 */
const timed = (
  entry: JsonObject | null,
  limitMs: number | null,
  outcome: Execution['outcome'],
): Pick<Execution, 'durationMs' | 'outcome'> => {
  const delay = numberOr(entry?.['delay_ms'], 0);
  return limitMs !== null && delay > limitMs
    ? { durationMs: limitMs, outcome: failed('timeout') }
    : { durationMs: delay, outcome };
};

/** Returns the outcome and duration of a scripted execution of a block. */
export const executionOf = (entry: JsonObject | null, block: ProgramBlock): Execution => ({
  ...timed(
    entry,
    block.timeoutMs,
    outcomeOf(entry, {
      keyword: block.keyword,
      schema: block.schema,
      data: block.data,
      outputType: block.worker.outputType,
    }),
  ),
  sideEffects: stringOr(entry?.['side_effects'], block.sideEffects ?? 'idempotent'),
  evidenceFails: stringOr(entry?.['evidence_fails'], null),
});

/** Returns the execution of a repair worker. The block's time limit applies to it, the block's validation does not. */
export const repairOf = (entry: JsonObject | null, block: ProgramBlock): Execution => ({
  ...timed(
    entry,
    block.timeoutMs,
    outcomeOf(entry, { keyword: null, schema: null, data: null, outputType: 'CODE_OUTPUT' }),
  ),
  sideEffects: 'none',
  evidenceFails: null,
});
