import { type LogPlace, writeCall } from '#actors/call-log/index.ts';
import { makeRecord, type PooledAttempt } from '#machines/calls/make-record.ts';
import type { AiClient, AiRequest, AttemptOutcome } from '#protocol/ai-call.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import type { AttemptRecord, CallSink, FinishedCall } from '#protocol/finished-call.ts';

interface OpenCall {
  readonly order: AiOrder;
  /** As they came: what the pool keeps of them is less. */
  readonly outcomes: AttemptOutcome[];
}

export interface CallLogParts {
  readonly place: LogPlace;
  readonly client: AiClient;
  readonly redact: (text: string) => string;
  /** Whose prices a model has. */
  readonly sourceOf: (request: AiRequest) => string | null;
  readonly warn: (message: string) => void;
}

/** Of an attempt that was broken off before its client said what came of it. */
function unheard({ failure, usage, firstTokenMs, totalMs }: AttemptRecord): AttemptOutcome {
  const { status = null, headers = {}, body = '', error = 'Error' } = failure ?? {};
  const facts = { phase: 'answer', status, headers, body, error, begun: firstTokenMs !== null } as const;
  return { ok: false, facts, usage, times: { firstTokenMs, totalMs } };
}

const attemptsOf = ({ attempts, queuedMs }: FinishedCall, outcomes: readonly AttemptOutcome[]): PooledAttempt[] =>
  attempts.map((attempt, index) => ({
    key: attempt.key,
    startedAt: attempt.startedAt,
    queuedMs: index === 0 ? queuedMs : 0,
    kind: attempt.failure?.class ?? 'ok',
    outcome: outcomes[index] ?? unheard(attempt),
    costMicroUsd: attempt.microUsd,
  }));

function kindOf({ result, attempts }: FinishedCall): string {
  if (result === 'answered') return 'ok';
  return result === 'failed' ? (attempts.at(-1)?.failure?.class ?? result) : result;
}

/** The log of a project's calls: what comes from the client goes by here, and what was sent is kept, with all its attempts. */
export function createCallLog({ place, client, redact, sourceOf, warn }: CallLogParts) {
  const open = new Map<AiRequest, OpenCall>();

  const keep = (call: FinishedCall, { order, outcomes }: OpenCall): void => {
    // Nothing was sent.
    if (call.attempts.length === 0) return;
    const record = makeRecord({
      ...{ call: call.call, origin: order.origin ?? null, order, startedAt: call.orderedAt, endedAt: call.endedAt },
      attempts: attemptsOf(call, outcomes),
      kind: kindOf(call),
      priceSource: sourceOf(call.request),
    });
    const trouble = writeCall(place, record, redact);
    if (trouble !== null) warn(trouble);
  };

  return {
    client: {
      attempt: async (request, ...given) => {
        const outcome = await client.attempt(request, ...given);
        open.get(request)?.outcomes.push(outcome);
        return outcome;
      },
    } satisfies AiClient,
    sink: {
      take: (call) => {
        const known = open.get(call.request);
        if (known !== undefined) keep(call, known);
        return Promise.resolve();
      },
    } satisfies CallSink,
    /** Until the call has its result. */
    during: async <Value>(order: AiOrder, call: () => Promise<Value>): Promise<Value> => {
      open.set(order.request, { order, outcomes: [] });
      try {
        return await call();
      } finally {
        open.delete(order.request);
      }
    },
  };
}
