import { createOpenCalls, indexWriter, type LogPlace, writeCall } from '#actors/call-log/index.ts';
import { failureOf } from '#actors/keys/index.ts';
import { BROKEN_OFF, makeRecord, type PooledAttempt } from '#logic/calls/make-record.ts';
import { usageOf } from '#logic/keys/estimate.ts';
import { outputProgress } from '#logic/keys/output-progress.ts';
import type { AiClient, AiRequest, AttemptOutcome, TokenUsage } from '#protocol/ai-call.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import type { AttemptRecord, CallSink, FinishedCall } from '#protocol/finished-call.ts';

interface OpenCall {
  readonly order: AiOrder;
  /** The complete outcomes of the attempts. The pool stores only a part of each outcome. */
  readonly outcomes: AttemptOutcome[];
  /** The attempts that are logged if this process dies during the call. */
  readonly begun: PooledAttempt[];
  readonly id: string;
}

interface CallLogParts {
  readonly place: LogPlace;
  readonly client: AiClient;
  readonly redact: (text: string) => string;
  readonly now: () => number;
  readonly newId: () => string;
  /** Returns the alias of the key that has this secret and that sends a request. */
  readonly aliasOf: (secret: string, request: AiRequest) => string;
  /** Returns the cost of a usage in millionths of a US dollar; null if the price is unknown. */
  readonly costOf: (request: AiRequest, usage: TokenUsage) => number | null;
  /** Returns where the prices of the request's model come from. */
  readonly sourceOf: (request: AiRequest) => string | null;
  readonly warn: (message: string) => void;
}

/**
 * Returns the outcome of an attempt that was aborted before its client reported one. Only the last attempt of a call
 * can be such an attempt. `text` is the part of the answer that had arrived.
 */
function abortedOutcome({ failure, usage, firstTokenMs, totalMs }: AttemptRecord, text: string): AttemptOutcome {
  const { status = null, headers = {}, body = '', error = 'AbortError' } = failure ?? {};
  const facts = { phase: 'answer', status, headers, body, error, begun: firstTokenMs !== null } as const;
  return { ok: false, facts, usage, times: { firstTokenMs, totalMs }, ...(text === '' ? {} : { text }) };
}

/** Adds the usage that the pool charged if the client reported no usage. A charge of zero counts as no usage. */
function charged(outcome: AttemptOutcome, { usage }: AttemptRecord): AttemptOutcome {
  return outcome.usage !== null || usage.input + usage.output === 0 ? outcome : { ...outcome, usage };
}

const attemptsOf = ({ attempts, queuedMs, text }: FinishedCall, outcomes: readonly AttemptOutcome[]): PooledAttempt[] =>
  attempts.map((attempt, index) => ({
    key: attempt.key,
    startedAt: attempt.startedAt,
    queuedMs: index === 0 ? queuedMs : 0,
    kind: attempt.failure?.class ?? (outcomes[index] === undefined ? 'aborted' : 'ok'),
    outcome: charged(outcomes[index] ?? abortedOutcome(attempt, text), attempt),
    costMicroUsd: attempt.microUsd,
  }));

function kindOf({ result, failure, attempts }: FinishedCall): string {
  if (result === 'answered') return 'ok';
  return result === 'failed' ? (failure ?? attempts.at(-1)?.failure?.class ?? result) : result;
}

const inputOf = ({ prompt }: AiOrder): TokenUsage => ({
  input: prompt.tokens.reduce((sum, tokens) => sum + tokens, 0),
  output: 0,
  cached: 0,
  reasoning: 0,
  source: 'estimated',
});

/** Returns the record of an attempt during which the process died: its input is known, its output is not. */
const brokenOff = (key: string, startedAt: number, usage: TokenUsage, costMicroUsd: number | null): PooledAttempt => ({
  key,
  startedAt,
  queuedMs: 0,
  kind: BROKEN_OFF,
  costMicroUsd,
  outcome: {
    ok: false,
    facts: { phase: 'connect', status: null, headers: {}, body: '', error: 'ProcessDied', begun: false },
    usage,
    times: { firstTokenMs: null, totalMs: 0 },
  },
});

/** Creates the call log of a project. It wraps the client, and records every request with all its attempts. */
export function createCallLog({ place, client, redact, now, newId, aliasOf, costOf, sourceOf, warn }: CallLogParts) {
  const open = new Map<AiRequest, OpenCall>();
  const openCalls = createOpenCalls(place, redact);
  const index = indexWriter(place);

  const begin = ({ order, begun, id }: OpenCall, secret: string): void => {
    const at = now();
    const { request } = order;
    const usage = inputOf(order);
    begun.push(brokenOff(aliasOf(secret, request), at, usage, costOf(request, usage)));
    const [first = at] = begun.map(({ startedAt }) => startedAt);
    const call = { call: id, origin: order.origin ?? null, order, startedAt: first, endedAt: at, attempts: begun };
    openCalls.note(makeRecord({ ...call, kind: BROKEN_OFF, priceSource: sourceOf(request) }));
  };

  const addOutcome = ({ order, begun, outcomes }: OpenCall, outcome: AttemptOutcome): void => {
    outcomes.push(outcome);
    const last = begun.pop();
    const kind = failureOf(order.request, outcome, now())?.class ?? 'ok';
    const charge = usageOf(order.request, outcome, '');
    const usage = charge.input + charge.output === 0 ? null : charge;
    const costMicroUsd = usage === null ? null : costOf(order.request, usage);
    if (last !== undefined) begun.push({ ...last, kind, outcome: { ...outcome, usage }, costMicroUsd });
  };

  /** Returns a function that records the output of an active attempt, in case the process dies. */
  const progressOf = ({ order, id }: OpenCall) =>
    outputProgress(now, (output) => {
      const microUsd = costOf(order.request, { ...inputOf(order), output });
      openCalls.progress(id, { output, micro_usd: microUsd });
    });

  const keep = (call: FinishedCall, { order, outcomes }: OpenCall): void => {
    // Nothing was sent. A call that was refused because of earlier answers is logged, so that it ends their count.
    if (call.attempts.length === 0 && call.failure !== 'stream_broken') return;
    const record = makeRecord({
      call: call.call,
      origin: order.origin ?? null,
      order,
      startedAt: call.orderedAt,
      endedAt: call.endedAt,
      attempts: attemptsOf(call, outcomes),
      kind: kindOf(call),
      priceSource: sourceOf(call.request),
    });
    const trouble = writeCall(place, record, redact, index.add);
    if (trouble !== null) warn(trouble);
  };

  return {
    client: {
      attempt: async (request, secret, signal, onText, options) => {
        const known = open.get(request);
        if (known === undefined) return client.attempt(request, secret, signal, onText, options);
        begin(known, secret);
        const progress = progressOf(known);
        const counted = (next?: (text: string) => void) => (text: string) => {
          progress.add(text);
          next?.(text);
        };
        const counting = { ...options, onThought: counted(options?.onThought) };
        const outcome = await client.attempt(request, secret, signal, counted(onText), counting);
        addOutcome(known, outcome);
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
    /** Returns the id of the active call for a request, or a new id if there is no such call. */
    idOf: ({ request }: Pick<AiOrder, 'request'>): string => open.get(request)?.id ?? newId(),
    /** Runs a call and keeps it registered as active until it has ended. */
    during: async <Value>(order: AiOrder, call: () => Promise<Value>): Promise<Value> => {
      const id = newId();
      open.set(order.request, { order, outcomes: [], begun: [], id });
      try {
        return await call();
      } finally {
        open.delete(order.request);
        openCalls.end(id);
      }
    },
    close: (): void => {
      openCalls.close();
      index.close();
    },
  };
}
