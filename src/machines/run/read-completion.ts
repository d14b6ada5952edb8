import type { CheckedResult } from '#protocol/worker.ts';
import { checkResult } from './check-result.ts';

/** A worker's checked answer about an execution that was cut off. */
type CheckedCompletion =
  | { readonly kind: 'done'; readonly result: CheckedResult }
  | { readonly kind: 'not_done' }
  | { readonly kind: 'unknown' };

type CompletionCheck =
  { readonly ok: true; readonly completion: CheckedCompletion } | { readonly ok: false; readonly problem: string };

const UNKNOWN: CompletionCheck = { ok: true, completion: { kind: 'unknown' } };

function done(result: unknown): CompletionCheck {
  const check = checkResult(result);
  return check.ok ? { ok: true, completion: { kind: 'done', result: check.result } } : check;
}

/** Reads the return value of `checkCompletion`. A bare result is `done`, null is `unknown`. */
export function readCompletion(returned: unknown): CompletionCheck {
  if (returned === null || returned === undefined) return UNKNOWN;
  if (typeof returned !== 'object' || 'signal' in returned || !('kind' in returned)) return done(returned);
  switch (returned.kind) {
    case 'done':
      return done('result' in returned ? returned.result : undefined);
    case 'not_done':
      return { ok: true, completion: { kind: 'not_done' } };
    case 'unknown':
      return UNKNOWN;
    default:
      return { ok: false, problem: 'the completion has a "kind" other than done, not_done and unknown' };
  }
}
