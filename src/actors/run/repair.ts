import type { Frame, Visit } from '#machines/run/state.ts';
import type { SegmentId, StepKey } from '#protocol/id.ts';
import type { Payload, Segment, SegmentDraft } from '#protocol/payload.ts';
import type { Failure } from '#protocol/response.ts';
import type { RunContext } from '#protocol/run.ts';
import { SUCCESS } from '#protocol/signal.ts';
import type { BlockMemory } from '#protocol/worker.ts';

export interface Repair {
  readonly context: RunContext;
  readonly frame: Frame;
  readonly visit: Visit;
  readonly worker: string;
  /** Of the execution that failed. */
  readonly memory: BlockMemory;
  readonly failure: Failure;
  readonly signal: AbortSignal;
}

const NO_META = Object.freeze({});

/** A segment of the next request only. */
const requestSegment = ({ frame, visit }: Repair, name: string, { type, content, meta }: SegmentDraft): Segment =>
  Object.freeze({
    id: `${visit.key}!${name}` as SegmentId,
    type,
    content,
    source: null,
    meta: meta ?? NO_META,
    timestamp: frame.run.now(),
  });

const withFailure = (repair: Repair): BlockMemory => {
  const content = JSON.stringify({ reason: repair.failure.reason, details: repair.failure.details });
  const told = requestSegment(repair, 'failure', { type: 'FAILURE', content });
  return Object.freeze({ ...repair.memory, payload: Object.freeze([...repair.memory.payload, told]) });
};

/** A repair worker makes a new request out of request and failure; null when it made none (decision record, 12). */
export async function makeRepair(repair: Repair): Promise<Payload | null> {
  const { context, visit, worker, memory, signal } = repair;
  const key = `${visit.key}!repair${visit.attempts}` as StepKey;
  const outcome = await context.step(
    key,
    { worker, role: 'repair', attempt: visit.attempts, memory: withFailure(repair) },
    signal,
    () => undefined,
  );
  if (!outcome.ok || outcome.result.signal !== SUCCESS) return null;
  const { payload, append } = outcome.result;
  const made = (drafts: readonly SegmentDraft[]) =>
    drafts.map((draft, index) => requestSegment(repair, `repair${visit.attempts}.${index + 1}`, draft));
  return Object.freeze(payload === null ? [...memory.payload, ...made(append)] : made(payload));
}
