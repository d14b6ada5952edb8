import { countSpending, spentBy } from '#logic/calls/count-spending.ts';
import type { Frame, Visit } from '#machines/run/state.ts';
import type { BlockId, SegmentId, StepKey } from '#protocol/id.ts';
import type { Payload, Segment, SegmentDraft } from '#protocol/payload.ts';
import type { Failure } from '#protocol/response.ts';
import type { RunContext, StepResult } from '#protocol/run.ts';
import { SUCCESS } from '#protocol/signal.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import type { WaitingStep } from './halt-visit.ts';
import type { HaltDecision } from './halts.ts';
import { emitFacts } from './execution.ts';

interface Repair {
  readonly context: RunContext;
  readonly frame: Frame;
  readonly visit: Visit;
  readonly worker: string;
  /**
   * The number of the repair of this failed attempt, from 1. There can be several, because each policy of a list can
   * name a repair worker.
   */
  readonly ordinal: number;
  /** The memory of the failed execution. */
  readonly memory: () => Promise<BlockMemory>;
  readonly failure: Failure;
  readonly signal: AbortSignal;
  /** Halts for a repair that can't continue by itself. */
  readonly halt: (waits: WaitingStep) => Promise<HaltDecision>;
  readonly park: () => Promise<void>;
}

/** The result of a repair: a new request, no request, or a person's decision to continue at another block. */
export type RepairResult =
  | { readonly kind: 'made'; readonly payload: Payload }
  | { readonly kind: 'none' }
  | { readonly kind: 'left'; readonly to: BlockId | null };

const STOPPED: RepairResult = { kind: 'left', to: null };

type Done = Extract<StepResult, { kind: 'done' }>;

const NO_META = Object.freeze({});

/** Makes a segment of the next request only. */
const requestSegment = ({ frame, visit }: Repair, name: string, { type, content, meta }: SegmentDraft): Segment =>
  Object.freeze({
    id: `${visit.key}!${name}` as SegmentId,
    type,
    content,
    source: null,
    meta: meta ?? NO_META,
    timestamp: frame.run.now(),
  });

/**
 * Returns the failed attempt's memory with the failure added. It has a key of its own, so that two repairs of one
 * attempt can be distinguished.
 */
const memoryOf = (repair: Repair, memory: BlockMemory, step: StepKey, attempt: number): BlockMemory => {
  const content = JSON.stringify({ reason: repair.failure.reason, details: repair.failure.details });
  const failureSegment = requestSegment(repair, 'failure', { type: 'FAILURE', content });
  const system = Object.freeze({ ...memory.system, step, attempt });
  return Object.freeze({ ...memory, system, payload: Object.freeze([...memory.payload, failureSegment]) });
};

/** Executes the repair worker once, or uses the remembered result; null if the visit was stopped meanwhile. */
async function executeOnce(repair: Repair, key: StepKey, attempt: number) {
  const { context, frame, visit, worker, signal } = repair;
  const isRemembered = context.remembers(key, attempt);
  if (!isRemembered) await context.live(signal);
  if (!isRemembered && frame.run.pausing) await repair.park();
  if (signal.aborted) return null;
  const memory = await repair.memory();
  const spec = { worker, role: 'repair', attempt, memory: memoryOf(repair, memory, key, attempt) } as const;
  const { value } = isRemembered
    ? await context.recall(key, attempt, signal)
    : await context.step(key, spec, signal, () => undefined, emitFacts(frame, visit, signal));
  countSpending(frame.run, spentBy(value));
  return signal.aborted ? null : { stepped: value, memory };
}

function madeOf(repair: Repair, { outcome }: Done, memory: BlockMemory): RepairResult {
  if (!outcome.ok || outcome.result.signal !== SUCCESS) return { kind: 'none' };
  const { payload, append } = outcome.result;
  const made = (drafts: readonly SegmentDraft[]) =>
    drafts.map((draft, index) => requestSegment(repair, `repair${repair.visit.attempts}.${index + 1}`, draft));
  return {
    kind: 'made',
    payload: Object.freeze(payload === null ? [...memory.payload, ...made(append)] : made(payload)),
  };
}

/** Executes a repair worker, which makes a new request from the failed request and its failure, or makes none. */
export async function makeRepair(repair: Repair): Promise<RepairResult> {
  const { visit, ordinal } = repair;
  const key = `${visit.key}!repair${visit.attempts}${ordinal === 1 ? '' : `.${ordinal}`}` as StepKey;
  for (let attempt = visit.attempts; ; attempt += 1) {
    const once = await executeOnce(repair, key, attempt);
    if (once === null) return STOPPED;
    const { stepped, memory } = once;
    if (stepped.kind === 'done') return madeOf(repair, stepped, memory);
    if (stepped.kind === 'again') continue;
    const decision = await repair.halt(stepped);
    if (decision.kind === 'stopped') return STOPPED;
    if (decision.kind === 'elsewhere') return { kind: 'left', to: decision.to };
    // The person reports an interrupted repair as done. The request that it made is lost.
    if (decision.kind === 'proceed') return { kind: 'none' };
  }
}
