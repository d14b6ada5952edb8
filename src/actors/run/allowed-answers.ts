import type { Answer, Halt, HaltReason } from '#protocol/response.ts';
import type { AnswerRefusal } from '#protocol/run.ts';

type Verb = Answer['verb'];

const ALLOWED: Readonly<Partial<Record<HaltReason, readonly Verb[]>>> = {
  gate: ['proceed', 'retry', 'next', 'jump', 'abort'],
  step: ['proceed', 'retry', 'next', 'jump', 'abort'],
  manual: ['proceed', 'next', 'jump', 'abort'],
  main_changed: ['proceed', 'next', 'jump', 'abort'],
  unsafe: ['retry', 'proceed', 'next', 'jump', 'abort'],
};
const AFTER_EXECUTION: readonly Verb[] = ['retry', 'next', 'jump', 'abort'];

/** Returns the answers that a halt accepts. */
export function allowedAnswers({
  why,
  rejections_left: left = 0,
}: Pick<Halt, 'why' | 'rejections_left'>): readonly Verb[] {
  const verbs = ALLOWED[why] ?? AFTER_EXECUTION;
  return left > 0 ? verbs.flatMap((verb) => (verb === 'proceed' ? [verb, 'reject'] : [verb])) : verbs;
}

/** Halts before an execution, at which `retry` means the same as `proceed`. */
const BEFORE_EXECUTION: ReadonlySet<HaltReason> = new Set(['gate', 'step']);

/** Returns the answers to offer: those that a halt accepts, without synonyms. */
export const offeredAnswers = (halt: Pick<Halt, 'why' | 'rejections_left'>): readonly Verb[] =>
  allowedAnswers(halt).filter((verb) => verb !== 'retry' || !BEFORE_EXECUTION.has(halt.why));

/** Returns why a rejection is refused; null if it is not. */
export function whyNotRejected(
  halt: Pick<Halt, 'why' | 'rejections_left'>,
  { guidance = '' }: Answer,
): AnswerRefusal | null {
  if (halt.why !== 'manual') return 'not_allowed';
  if (halt.rejections_left === undefined) return 'no_rejection_row';
  if (halt.rejections_left === 0) return 'rejections_used_up';
  return guidance.trim() === '' ? 'reason_missing' : null;
}
