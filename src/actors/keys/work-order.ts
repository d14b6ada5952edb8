import type { AiFact } from '#protocol/ai-fact.ts';
import type { AttemptRecord, FinishedCall, CallSink } from '#protocol/finished-call.ts';
import type { KeyReport, OverspentBudget, PoolResult, WorkOrder } from '#protocol/key-pool.ts';
import { messageOf } from '#protocol/message-of.ts';
import { bidOf } from '#logic/keys/estimate.ts';
import { lowerMaximum } from '#logic/keys/lower-maximum.ts';
import { NOTHING_SPENT } from '#logic/keys/ledger.ts';
import type { Lease } from '#logic/keys/lease.ts';
import type { PoolKey } from '#logic/keys/pool-key.ts';
import { type AttemptEnd, attempt, type AttemptParts } from './attempt.ts';
import type { FailureClass } from '#protocol/failure-class.ts';
import type { Grant, WaitingLine } from './waiting-line.ts';

export interface OrderParts extends AttemptParts {
  readonly line: WaitingLine;
  readonly sink: CallSink;
  readonly newId: (order: WorkOrder) => string;
  readonly reportFact: (order: WorkOrder, fact: AiFact) => void;
  readonly onMissingSecret: () => void;
  readonly tableFor: (order: WorkOrder) => readonly KeyReport[];
}

interface Call {
  readonly id: string;
  readonly order: WorkOrder;
  readonly orderedAt: number;
  queuedMs: number;
  readonly attempts: AttemptRecord[];
  /** Keys that would fail for this call again. */
  readonly tried: Set<PoolKey>;
  failedWith: PoolKey | null;
  /** The number of attempts that our own time limit ended. */
  tooSlow: number;
  /** The number of failed attempts that the provider most likely bills, or whose cause a wait can't remove. */
  billed: number;
  /** The output maximum to try next, after the model has refused larger ones; null if it has refused none. */
  accepted: number | null;
  /** The number of refused output maxima. */
  lowered: number;
  failed: FailedAttempt | null;
}

type Ended = PoolResult | { readonly kind: 'aborted'; readonly thrown: unknown; readonly text: string };

function recordOf({ id, order, orderedAt, queuedMs, attempts }: Call, ended: Ended, endedAt: number): FinishedCall {
  const { scope, pool, request } = order;
  return {
    call: id,
    scope,
    pool: pool.name,
    request,
    orderedAt,
    endedAt,
    queuedMs,
    attempts,
    result: ended.kind,
    ...(ended.kind === 'failed' ? { failure: ended.class } : {}),
    text: 'text' in ended ? ended.text : '',
    finish: ended.kind === 'answered' ? ended.finish : null,
  };
}

/** A request that hit our own time limit is retried once only: every retry would be billed again. */
const MOST_TOO_SLOW = 2;

/**
 * A broken answer is billed, and a server that speaks another protocol will not change, so a request is sent at most
 * three times.
 */
const MOST_BILLED = 3;

type FailedAttempt = Extract<AttemptEnd, { readonly kind: 'failed' }>;

/** Failures that occur after the provider has accepted the request and most likely produced an answer. */
const AFTER_ACCEPTANCE: ReadonlySet<FailureClass> = new Set(['stream_cut', 'empty', 'network']);

function isBilled({ failure, record, text }: FailedAttempt): boolean {
  const { class: kind, status } = failure;
  if (text !== '' || kind === 'malformed') return true;
  const isAccepted = status !== null && status >= 200 && status <= 299;
  // A reasoning model may have produced billed output before its first text.
  return isAccepted && (record.firstTokenMs !== null || AFTER_ACCEPTANCE.has(kind));
}

/** Returns whether other keys or a delay can't help, because the answer itself is too large. */
const isFinal = ({ policy, failure, isWaste }: FailedAttempt): boolean =>
  policy === 'fail' || isWaste || failure.class === 'answer_too_large';

/**
 * Returns whether the request may be sent again after a broken answer: not if its text was already passed to a reader
 * who can't discard it.
 */
function mayAskAgain({ order, failed }: Call): boolean {
  if (failed === null || failed.text === '' || order.reader === null) return true;
  if (order.reader.onRestart === null) return false;
  order.reader.onRestart();
  return true;
}

const callAttempts = ({ id, attempts }: Call) => ({ call: id, attempts: [...attempts] });

function failedWith(call: Call, { failure, text }: FailedAttempt): Ended {
  return { kind: 'failed', ...callAttempts(call), class: failure.class, said: failure.said, text };
}

/** Returns the result of a call whose answers were incomplete too often. */
function brokenTooOften(call: Call, failed: FailedAttempt): Ended {
  const ended = failedWith(call, failed);
  const { class: failure, said } = failed.failure;
  if (ended.kind !== 'failed' || failure === 'malformed' || failure === 'empty') return ended;
  const times = `The answer started and was cut off ${call.billed} times; each time is billed.`;
  return { ...ended, class: 'stream_broken', said: `${times} The last time: ${said}` };
}

/** Returns the result of a call whose visit had already paid for so many answers that it sends no further request. */
function paidTooOften(call: Call): Ended {
  const said = `The answer was started ${call.billed} times and was never complete, because the engine or the connection ended; each time is billed. Nothing more was sent.`;
  return { kind: 'failed', ...callAttempts(call), class: 'stream_broken', said, text: '' };
}

function refused(parts: OrderParts, call: Call, grant: Exclude<Grant, { readonly kind: 'lease' }>): Ended {
  if (grant.kind === 'over_budget') return { kind: 'over_budget', ...callAttempts(call), over: grant.over };
  // Every key was tried and none is at fault, so the last failure is the result.
  if (grant.retryAt === null && call.failed !== null && call.tried.size > 0) return failedWith(call, call.failed);
  return { kind: 'exhausted', ...callAttempts(call), retryAt: grant.retryAt, table: parts.tableFor(call.order) };
}

/** The number of times that an output maximum is lowered until the model accepts it. Refused requests are not billed. */
const MOST_LOWERED = 8;

/** Returns a smaller output maximum if the model has refused the one that a budget had added to the request. */
function maximumAfter({ order, lowered }: Call, { failure }: FailedAttempt, { output }: Lease): number | null {
  const isAdded = output !== null && order.request.maxOutputTokens === null;
  return isAdded && lowered < MOST_LOWERED ? lowerMaximum(output, failure) : null;
}

/** Returns the result of an answer. An answer that a budget has cut off is not used as if it were complete. */
function answeredWith(
  { state }: OrderParts,
  call: Call,
  done: Extract<AttemptEnd, { kind: 'answered' }>,
  { boundBy }: Lease,
): Ended {
  const { record, text, finish, usage, microUsd } = done;
  if (finish === 'length' && boundBy !== null) {
    const { limit, unit } = boundBy;
    const spent = (state.ledger.spent.get(limit.account) ?? NOTHING_SPENT)[unit];
    const over: OverspentBudget = {
      scope: limit.scope,
      unit,
      limit: limit.amounts[unit] ?? 0,
      spent,
      needed: 0,
      why: 'cut_off',
    };
    return { kind: 'over_budget', ...callAttempts(call), over };
  }
  return { kind: 'answered', ...callAttempts(call), key: record.key, text, finish, usage, microUsd };
}

/** Makes one attempt; null to try the next key. */
async function once(parts: OrderParts, call: Call): Promise<Ended | null> {
  const { order, attempts } = call;
  const asked = parts.clock.now();
  const { provider, baseUrl, model } = order.request;
  const id = JSON.stringify([provider, baseUrl, model]);
  const bid = bidOf(order.request, parts.prices, call.accepted ?? parts.state.outputMaxima.get(id));
  const grant = await parts.line.ask(order, bid, call);
  call.queuedMs += parts.clock.now() - asked;
  if (grant.kind !== 'lease') return refused(parts, call, grant);
  const { lease } = grant;
  const done = await attempt(parts, order, lease);
  if (done.kind === 'no_secret') {
    parts.onMissingSecret();
    return null;
  }
  if (done.record !== null) {
    attempts.push(done.record);
    parts.reportFact(order, attemptedFact(call, done.record, done.kind === 'broken_off'));
  }
  if (done.kind === 'broken_off') return { kind: 'aborted', thrown: done.thrown, text: done.text };
  if (done.kind === 'answered') {
    if (call.accepted !== null) parts.state.outputMaxima.set(id, call.accepted);
    return answeredWith(parts, call, done, lease);
  }
  const lower = maximumAfter(call, done, lease);
  if (lower !== null) {
    call.accepted = lower;
    call.lowered += 1;
    return null;
  }
  return afterFailure(call, done, lease.key);
}

/** Returns the result of a call after a failed attempt; null to try again. */
function afterFailure(call: Call, done: FailedAttempt, key: PoolKey): Ended | null {
  call.failed = done;
  call.failedWith = key;
  if (done.isTooSlow) call.tooSlow += 1;
  if (isBilled(done)) call.billed += 1;
  // A wait does not give a key access to the model, so the key is not tried again.
  if (done.policy === 'next_key' || done.failure.class === 'model_not_found') call.tried.add(key);
  if (isFinal(done) || call.tooSlow >= MOST_TOO_SLOW) return failedWith(call, done);
  if (call.billed >= MOST_BILLED) return brokenTooOften(call, done);
  return mayAskAgain(call) ? null : failedWith(call, done);
}

async function untilEnded(parts: OrderParts, call: Call): Promise<Ended> {
  try {
    for (;;) {
      const ended = await once(parts, call);
      if (ended !== null) return ended;
    }
  } catch (thrown) {
    return { kind: 'aborted', thrown, text: '' };
  }
}

const attemptedFact = ({ id }: Call, { key, failure, totalMs }: AttemptRecord, isBroken: boolean): AiFact => ({
  type: 'ai.call.attempted',
  call: id,
  key,
  outcome: isBroken ? 'aborted' : (failure?.class ?? 'ok'),
  status: failure?.status ?? null,
  duration_ms: totalMs,
});

function finishedFact({ call, result, attempts, queuedMs, orderedAt, endedAt }: FinishedCall): AiFact {
  const isUnknown = attempts.some(({ microUsd }) => microUsd === null);
  return {
    type: 'ai.call.finished',
    call,
    outcome: result,
    attempts: attempts.length,
    tokens: attempts.reduce((sum, { usage }) => sum + usage.input + usage.output, 0),
    cost_micro_usd: isUnknown ? null : attempts.reduce((sum, { microUsd }) => sum + (microUsd ?? 0), 0),
    queued_ms: queuedMs,
    duration_ms: endedAt - orderedAt,
  };
}

/** Makes attempts until one is answered. The call is recorded before its caller gets the result. */
export async function performOrder(parts: OrderParts, order: WorkOrder): Promise<PoolResult> {
  const orderedAt = parts.clock.now();
  const call: Call = {
    id: parts.newId(order),
    order,
    orderedAt,
    queuedMs: 0,
    attempts: [],
    tried: new Set(),
    failedWith: null,
    tooSlow: 0,
    billed: order.billedBefore ?? 0,
    accepted: null,
    lowered: 0,
    failed: null,
  };
  const { provider, model } = order.request;
  parts.reportFact(order, { type: 'ai.call.started', call: call.id, provider, model, pool: order.pool.name });
  const ended = call.billed >= MOST_BILLED ? paidTooOften(call) : await untilEnded(parts, call);
  const record = recordOf(call, ended, parts.clock.now());
  parts.reportFact(order, finishedFact(record));
  try {
    await parts.sink.take(record);
  } catch (thrown) {
    parts.report(`the record of call ${call.id} can't be stored: ${messageOf(thrown)}`);
  }
  if (ended.kind === 'aborted') throw ended.thrown;
  return ended;
}
