import type { AiClient, AttemptFacts, AttemptOutcome, FinishReason, TokenUsage } from '#protocol/ai-call.ts';
import type { AttemptRecord } from '#protocol/finished-call.ts';
import type { Clock } from '#protocol/clock.ts';
import type { FailurePolicy } from '#protocol/failure-class.ts';
import type { KeySecrets, Prices, WorkOrder } from '#protocol/key-pool.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { ClassifiedFailure } from '#logic/keys/classify.ts';
import { costOf, usageOf } from '#logic/keys/estimate.ts';
import type { Cost } from '#logic/keys/ledger.ts';
import { endLease, type Lease, noteText } from '#logic/keys/lease.ts';
import { outputProgress } from '#logic/keys/output-progress.ts';
import type { PoolState } from '#logic/keys/pool-state.ts';
import { failureOf } from './read-outcome.ts';
import { redact, redactFacts } from './redact.ts';

export interface AttemptParts {
  readonly state: PoolState;
  readonly client: AiClient;
  readonly clock: Clock;
  readonly prices: Prices;
  readonly secrets: KeySecrets;
  readonly report: (message: string) => void;
  /** Called with the first text of an answer, which may free keys for other calls. */
  readonly onText: (lease: Lease, order: WorkOrder) => void;
  /** Called from time to time with what the attempt has cost so far, at least. */
  readonly onProgress: (lease: Lease, cost: Cost) => void;
  readonly onEnd: (lease: Lease, cost: Cost | null, order: WorkOrder) => void;
}

export type AttemptEnd =
  | {
      readonly kind: 'answered';
      readonly record: AttemptRecord;
      readonly text: string;
      readonly finish: FinishReason;
      readonly usage: TokenUsage;
      readonly microUsd: number | null;
    }
  | {
      readonly kind: 'failed';
      readonly record: AttemptRecord;
      readonly failure: ClassifiedFailure;
      readonly policy: FailurePolicy;
      /** True if one of our own time limits ended it. */
      readonly isTooSlow: boolean;
      /** True if repeating it would pay once more for what the same limit would end again. */
      readonly isWaste: boolean;
      readonly text: string;
    }
  /** The caller cancelled the call, or the HTTP client failed. `record` is null if nothing was sent. */
  | {
      readonly kind: 'broken_off';
      readonly record: AttemptRecord | null;
      readonly thrown: unknown;
      readonly text: string;
    }
  /** The secret of the leased key was removed before the attempt. */
  | { readonly kind: 'no_secret' };

/** Redacts the secret in the facts of an outcome before anything is derived from them. */
const cleaned = (outcome: AttemptOutcome, secret: string, alias: string): AttemptOutcome =>
  outcome.ok ? outcome : { ...outcome, facts: redactFacts(outcome.facts, secret, alias) };

interface Run {
  readonly order: WorkOrder;
  readonly lease: Lease;
  readonly startedAt: number;
  firstTokenMs: number | null;
  text: string;
  readonly progress: ReturnType<typeof outputProgress>;
}

/** Wraps the reader of a call, so that its errors are not attributed to the key. */
function readerOf({ state, clock, report, onText }: AttemptParts, run: Run): (text: string) => void {
  const { order, lease, startedAt } = run;
  return (text) => {
    if (text === '') return;
    const isFirst = run.text === '';
    run.text += text;
    run.progress.add(text);
    if (isFirst) {
      run.firstTokenMs = clock.now() - startedAt;
      noteText(state, lease);
      onText(lease, order);
    }
    try {
      order.reader?.onText(text);
    } catch (thrown) {
      report(`a listener for the text of an answer failed: ${messageOf(thrown)}`);
    }
  };
}

function conclude(parts: AttemptParts, run: Run, outcome: AttemptOutcome | null) {
  const { state, prices, clock, onEnd } = parts;
  const { order, lease, startedAt, text } = run;
  const { request, pool } = order;
  const now = clock.now();
  const failure = outcome === null ? null : failureOf(request, outcome, now);
  const whole = outcome?.ok === true ? outcome.text : '';
  const usage = usageOf(request, outcome, whole.length > text.length ? whole : text);
  const cost = costOf(request, usage, prices);
  const ending =
    outcome === null
      ? ({ kind: 'aborted', cost } as const)
      : failure === null
        ? ({ kind: 'answered', cost } as const)
        : ({ kind: 'failed', failure, cost } as const);
  const { policy, after } = endLease(state, lease, ending, pool, now);
  onEnd(lease, cost, order);
  const facts = outcome?.ok === false ? outcome.facts : null;
  const record: AttemptRecord = {
    key: lease.key.definition.alias,
    startedAt,
    firstTokenMs: outcome?.times.firstTokenMs ?? run.firstTokenMs,
    totalMs: outcome?.times.totalMs ?? now - startedAt,
    usage,
    microUsd: cost.microUsd,
    failure:
      failure === null || policy === null
        ? null
        : { ...failure, policy, headers: facts?.headers ?? {}, body: facts?.body ?? '', error: facts?.error ?? '' },
    after: { state: after.state, until: after.until },
  };
  return { record, failure, policy, usage, microUsd: cost.microUsd };
}

/** Makes one attempt with a leased key, and ends the lease in any case. */
export async function attempt(parts: AttemptParts, order: WorkOrder, lease: Lease): Promise<AttemptEnd> {
  const { client, clock, secrets, state, onEnd } = parts;
  const { alias, keyless } = lease.key.definition;
  const secret = keyless === true ? '' : (secrets.get(alias)?.trim() ?? '');
  const isMissing = secret === '' && keyless !== true;
  if (isMissing || order.signal.aborted) {
    endLease(state, lease, { kind: 'aborted', cost: null }, order.pool, clock.now());
    onEnd(lease, null, order);
    if (isMissing) return { kind: 'no_secret' };
    return { kind: 'broken_off', record: null, thrown: order.signal.reason, text: '' };
  }
  const { request } = order;
  const progress = outputProgress(clock.now, (output) => {
    const usage = usageOf(request, null, '');
    parts.onProgress(lease, costOf(request, { ...usage, output }, parts.prices));
  });
  const run: Run = { order, lease, startedAt: clock.now(), firstTokenMs: null, text: '', progress };
  let outcome: AttemptOutcome;
  try {
    const options = { maxOutputTokens: lease.output, onThought: progress.add };
    const answer = await client.attempt(request, secret, order.signal, readerOf(parts, run), options);
    outcome = cleaned(answer, secret, alias);
  } catch (thrown) {
    const { record } = conclude(parts, run, null);
    // The error of a failing client may quote the secret.
    const safe = order.signal.aborted ? thrown : new Error(redact(messageOf(thrown), secret, alias));
    return { kind: 'broken_off', record, thrown: safe, text: run.text };
  }
  const { record, failure, policy, usage, microUsd } = conclude(parts, run, outcome);
  const { limit, accepted } = outcome.ok ? ({} as Partial<AttemptFacts>) : outcome.facts;
  const isTooSlow = limit !== undefined;
  const isWaste = limit === 'silent' || (limit === 'total' && (accepted === true || run.text !== ''));
  if (failure !== null && policy !== null)
    return { kind: 'failed', record, failure, policy, isTooSlow, isWaste, text: run.text };
  const { text, finish } = outcome.ok ? outcome : { text: run.text, finish: 'other' as const };
  return { kind: 'answered', record, text, finish, usage, microUsd };
}
