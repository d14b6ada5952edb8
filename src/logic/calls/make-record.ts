import { type AttemptOutcome, sumUsage, type TokenUsage } from '#protocol/ai-call.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import type { CallRecord, LoggedAttempt, LoggedRequest } from '#protocol/call-record.ts';

/** An attempt, with the facts that its key pool recorded. */
export interface PooledAttempt {
  /** The key's alias. */
  readonly key: string;
  readonly startedAt: number;
  readonly queuedMs: number;
  /** `ok`, or the class of the failure. */
  readonly kind: string;
  readonly outcome: AttemptOutcome;
  readonly costMicroUsd: number | null;
}

/** The outcome of an attempt during which the engine was killed. */
export const BROKEN_OFF = 'broken_off';

interface EndedCall {
  readonly call: string;
  readonly origin: string | null;
  readonly order: AiOrder;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attempts: readonly PooledAttempt[];
  /** The outcome of the last attempt, or the reason why there was none. */
  readonly kind: string;
  /** The source of the prices. */
  readonly priceSource: string | null;
}

function attemptOf({ key, startedAt, queuedMs, kind, outcome, costMicroUsd }: PooledAttempt): LoggedAttempt {
  const { usage, times } = outcome;
  return {
    key,
    started_at: startedAt,
    outcome: kind,
    finish: outcome.ok ? outcome.finish : null,
    facts: outcome.ok ? null : outcome.facts,
    tokens_used: usage,
    cost_micro_usd: usage === null ? null : costMicroUsd,
    ms: { queued: queuedMs, first_token: times.firstTokenMs, total: times.totalMs },
    raw: outcome.ok ? (outcome.raw ?? null) : (outcome.text ?? null),
  };
}

/** Sums the costs of the attempts. Returns null if no attempt used tokens, or if a price is unknown. */
function costOf(attempts: readonly PooledAttempt[]): number | null {
  const paid = attempts.filter(({ outcome }) => outcome.usage !== null);
  if (paid.length === 0 || paid.some(({ costMicroUsd }) => costMicroUsd === null)) return null;
  return paid.reduce((sum, { costMicroUsd }) => sum + (costMicroUsd ?? 0), 0);
}

function requestOf({ request, prompt, rules, insteadOf }: AiOrder): LoggedRequest {
  const { provider, model, baseUrl, schema, maxOutputTokens, temperature, stream, limits } = request;
  return {
    provider,
    model,
    base_url: baseUrl,
    segments: prompt.segments,
    cut: prompt.cut,
    schema,
    temperature,
    max_output_tokens: maxOutputTokens,
    stream: stream !== false,
    limits,
    ...(rules === undefined ? {} : { rules }),
    ...(insteadOf === undefined ? {} : { instead_of: insteadOf }),
  };
}

/** Makes the log record of a finished call. */
export function makeRecord({
  call,
  origin,
  order,
  startedAt,
  endedAt,
  attempts,
  kind,
  priceSource,
}: EndedCall): CallRecord {
  const last = attempts.at(-1);
  const cost = costOf(attempts);
  return {
    v: 1,
    call,
    origin,
    started_at: startedAt,
    ...order.place,
    conversation: order.conversation,
    pool: order.pool,
    request: requestOf(order),
    attempts: attempts.map(attemptOf),
    outcome: kind,
    answer: last?.outcome.ok === true ? { text: last.outcome.text, finish: last.outcome.finish } : null,
    tokens_used: attempts.reduce<TokenUsage | null>((sum, { outcome }) => sumUsage(sum, outcome.usage), null),
    cost: {
      micro_usd: cost,
      source: cost === null ? null : priceSource,
      ...(attempts.some((one) => one.kind === BROKEN_OFF) ? { at_least: true } : {}),
    },
    ms: {
      queued: attempts[0]?.queuedMs ?? 0,
      first_token: last?.outcome.times.firstTokenMs ?? null,
      total: endedAt - startedAt,
    },
  };
}

/** The output of a call's last attempt that had arrived when its engine was killed. */
export interface CallProgress {
  readonly output: number;
  /** The cost of the attempt so far, in millionths of a US dollar; null if the price is unknown. */
  readonly micro_usd: number | null;
}

/** Adds the output that had arrived to the record of a call that its engine did not end. */
export function withProgress(record: CallRecord, { output, micro_usd: microUsd }: CallProgress): CallRecord {
  const last = record.attempts.at(-1);
  const { tokens_used: used, cost } = record;
  if (last === undefined || last.tokens_used === null || used === null) return record;
  const before = last.cost_micro_usd ?? 0;
  const sum = microUsd === null || cost.micro_usd === null ? null : cost.micro_usd - before + microUsd;
  const attempt = { ...last, tokens_used: { ...last.tokens_used, output }, cost_micro_usd: microUsd };
  return {
    ...record,
    attempts: record.attempts.with(-1, attempt),
    tokens_used: { ...used, output: used.output - last.tokens_used.output + output },
    cost: { ...cost, micro_usd: sum },
  };
}
