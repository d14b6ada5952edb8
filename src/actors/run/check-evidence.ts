import { type Evidence, evidenceText, type GraphBlock } from '#protocol/graph.ts';
import type { BlockId, StepKey } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import type { Failure } from '#protocol/response.ts';
import type { TimedValue, StepResult, StepOutcome } from '#protocol/run.ts';
import { SUCCESS } from '#protocol/signal.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { cancelledWorkersEnded } from './settled-or-timeout.ts';
import type { VisitExecution } from './execution.ts';
import { haltVisit, holdUntilStopped } from './halt-visit.ts';

/** Returns the evidence that a block requires. Manifests stored by early versions have none. */
export const evidenceOf = ({ evidence }: GraphBlock): readonly Evidence[] => evidence.filter((one) => 'kind' in one);

/**
 * The result of checking a claimed success. `left`: the visit was stopped, or a person chose another block, before the
 * check ended.
 */
type CompletionVerdict =
  | { readonly kind: 'proven' }
  | { readonly kind: 'unproven'; readonly failure: Failure; readonly segments: readonly TimedSegment[] }
  | { readonly kind: 'left'; readonly to: BlockId | null };

/** A segment for the payload, with the time at which it became known. */
interface TimedSegment {
  readonly draft: SegmentDraft;
  readonly at: number;
}

interface EvidenceFinding {
  readonly kind: 'looked';
  readonly check: string;
  readonly held: boolean;
  readonly summary: string;
  readonly log: string;
  readonly meta: JsonObject;
  readonly at: number;
}

/** A success that a worker or a person has claimed. */
interface ClaimedSuccess {
  readonly execution: VisitExecution;
  /** The memory of the execution that claimed it. */
  readonly memory: () => Promise<BlockMemory>;
  /** Reports progress. */
  readonly progress: (text: string) => void;
  /** What the worker reports about its execution; null for a person's claim. */
  readonly stats: JsonObject | null;
}

type LeftVisit = Extract<CompletionVerdict, { readonly kind: 'left' }>;
export type UnprovenCompletion = Extract<CompletionVerdict, { readonly kind: 'unproven' }>;

const STOPPED: LeftVisit = { kind: 'left', to: null };

/** Returns the block's memory with the key of the evidence in place of the visit's key. */
const memoryFor = (memory: BlockMemory, step: StepKey, attempt: number): BlockMemory =>
  Object.freeze({ ...memory, system: Object.freeze({ ...memory.system, step, attempt }) });

/** Executes the check once, or uses its remembered result; null if the visit was stopped meanwhile. */
async function executeOnce(
  { execution, memory, progress }: ClaimedSuccess,
  key: StepKey,
  piece: number,
  attempt: number,
): Promise<TimedValue<StepResult> | null> {
  const { parts, frame, signal } = execution;
  const { context } = parts;
  if (context.remembers(key, attempt)) return context.recall(key, attempt, signal);
  await context.live(signal);
  if (frame.run.pausing) await holdUntilStopped(execution);
  if (frame.run.leaving.length > 0) await cancelledWorkersEnded(execution);
  if (signal.aborted) return null;
  const own = memoryFor(await memory(), key, attempt);
  const spec = { worker: 'evidence', role: 'evidence', piece, attempt, memory: own } as const;
  return context.step(key, spec, signal, progress);
}

function findingOf(check: string, outcome: StepOutcome, at: number): EvidenceFinding {
  if (!outcome.ok) {
    const { message } = outcome.failure.details;
    const summary = typeof message === 'string' ? message : outcome.failure.reason;
    return { kind: 'looked', check, held: false, summary, log: '', meta: {}, at };
  }
  const { signal, append } = outcome.result;
  const { content: log = '', meta = {} } = append[0] ?? {};
  const summary = typeof meta['summary'] === 'string' ? meta['summary'] : check;
  return { kind: 'looked', check, held: signal === SUCCESS, summary, log, meta, at };
}

/** Checks one piece of evidence until there is an outcome. */
async function checkPiece(claimed: ClaimedSuccess, evidence: Evidence, piece: number) {
  const { execution } = claimed;
  const { visit, signal } = execution;
  const key = `${visit.key}!evidence${visit.claims}.${piece + 1}` as StepKey;
  for (let attempt = 1; ; attempt += 1) {
    const known = await executeOnce(claimed, key, piece, attempt);
    if (known === null || signal.aborted) return STOPPED;
    const { value: stepped, at } = known;
    if (stepped.kind === 'done') return findingOf(evidenceText(evidence), stepped.outcome, at);
    if (stepped.kind === 'again') continue;
    const decision = await haltVisit(execution, stepped.why, stepped);
    if (decision.kind === 'stopped') return STOPPED;
    if (decision.kind === 'elsewhere') return { kind: 'left', to: decision.to } as const;
  }
}

/** The maximum number of characters of all logs together in the failure; the payload has the whole logs. */
const EXCERPTS = 8_192;

/** Exit codes of shells for a program that can't be executed, and for one that is not there. */
const NOT_EXECUTED: ReadonlySet<unknown> = new Set([126, 127]);

/**
 * Returns whether a check did not take place, because its program, or one that it starts, is not installed. That is no
 * evidence about the work, which another execution of the block would not change.
 */
const hasNotRun = ({ meta }: EvidenceFinding): boolean =>
  meta['ended'] === 'not_started' || NOT_EXECUTED.has(meta['exit_code']);

function failureOf({ visit }: VisitExecution, failed: readonly EvidenceFinding[]): Failure {
  const each = Math.floor(EXCERPTS / failed.length);
  const evidence = failed.map(({ check, summary, log }) => ({ check, summary, log: log.slice(-each) }));
  const [first] = failed;
  const more = failed.length > 1 ? `, and ${failed.length - 1} more` : '';
  return {
    reason: 'evidence_failed',
    details: {
      message: `${visit.block.id} returned ${SUCCESS}, but the check of its evidence failed: ${first?.summary ?? ''}${more}`,
      evidence,
      ...(failed.some(hasNotRun) ? { unchecked: true } : {}),
    },
    errorType: null,
  };
}

const segmentOf = ({ check, summary, log, meta, at }: EvidenceFinding): TimedSegment => ({
  draft: {
    type: 'EVIDENCE_FAILED',
    content: log === '' ? summary : log,
    meta: { ...meta, check, summary },
  },
  at,
});

function factsOf({ meta: { tests, duration_ms } }: EvidenceFinding) {
  return {
    ...(typeof tests === 'string' ? { tests } : {}),
    ...(typeof duration_ms === 'number' ? { duration_ms } : {}),
  };
}

/** Checks all pieces of evidence of a success, so that one repair can fix everything that is wrong. */
export async function checkEvidence(claimed: ClaimedSuccess): Promise<CompletionVerdict> {
  const { execution } = claimed;
  const { frame, visit } = execution;
  visit.claims += 1;
  const looked: EvidenceFinding[] = [];
  for (const [piece, evidence] of evidenceOf(visit.block).entries()) {
    const one = await checkPiece(claimed, evidence, piece);
    if (one.kind === 'left') return one;
    const { check, held, summary } = one;
    const facts = { ...factsOf(one), ...(piece === 0 && claimed.stats !== null ? { stats: claimed.stats } : {}) };
    frame.run.record({ ...visit.scope, type: 'evidence.checked', check, held, summary, ...facts });
    looked.push(one);
  }
  visit.evidence = Object.freeze(looked.map(({ check, held }) => Object.freeze({ check, held })));
  const failed = looked.filter(({ held }) => !held);
  return failed.length === 0
    ? { kind: 'proven' }
    : { kind: 'unproven', failure: failureOf(execution, failed), segments: failed.map(segmentOf) };
}
