import { type Artifact, assembleMemory, NO_ARTIFACT, sizesOf } from '#machines/run/assemble-memory.ts';
import type { PayloadHold } from '#machines/run/payload-log.ts';
import { NO_EVIDENCE, type ScopedEvent } from '#machines/run/state.ts';
import type { ContextSlice } from '#protocol/context-slice.ts';
import type { AttemptScope } from '#protocol/event.ts';
import type { SideEffects } from '#protocol/graph.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Failure } from '#protocol/response.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { classInForce } from './attempt.ts';
import { type BegunExecution, type VisitExecution, moveBlock } from './execution.ts';

/**
 * Reads the files of memory layer 4, or returns the failure. An unreadable file is a failed precondition of the block,
 * not a fault of its worker.
 */
async function artifactOf({ parts, visit }: VisitExecution): Promise<Artifact | Failure> {
  if (visit.block.artifact.length === 0) return NO_ARTIFACT;
  try {
    return await parts.readArtifact(visit.block.artifact);
  } catch (thrown) {
    const message = messageOf(thrown);
    return { reason: 'precondition_failed', details: { message: `artifact: ${message}` }, errorType: null };
  }
}

const frozen = (slice: ContextSlice): ContextSlice =>
  Object.freeze({ ...slice, failed: Object.freeze(slice.failed.map((one) => Object.freeze({ ...one }))) });

const messageFor = ({ name, failed }: ContextSlice): string =>
  `context slice ${name}: ${failed.map(({ query, code, message }) => `${query}: ${code}: ${message}`).join('; ')}`;

/** Returns a slice without its text, for its event; the block's memory contains the text. */
function withoutText(slice: ContextSlice): Omit<ContextSlice, 'text'> {
  const facts: Partial<ContextSlice> = { ...slice };
  delete (facts as { text?: string }).text;
  return facts as Omit<ContextSlice, 'text'>;
}

/**
 * Adds the result of the block's context slice to the files of layer 4. Returns the failure if a required slice failed.
 */
async function withSlice(execution: VisitExecution, artifact: Artifact, isNew: boolean): Promise<Artifact | Failure> {
  const { parts, frame, visit, signal } = execution;
  const { block } = visit;
  if (parts.readSlice === null || block.contextSlice === null) return artifact;
  try {
    const read = await parts.readSlice(block, memoryWith(execution, artifact), signal);
    if (read === null) return artifact;
    if (isNew) frame.run.record({ ...visit.scope, type: 'context.assembled', ...withoutText(read.slice) });
    if (!read.isRequired || read.slice.failed.length === 0)
      return Object.freeze({ ...artifact, slices: Object.freeze([frozen(read.slice)]) });
    const details = { message: messageFor(read.slice), slice: read.slice.name, failed: read.slice.failed };
    return { reason: 'precondition_failed', details, errorType: null };
  } catch (thrown) {
    // A stopped execution never begins.
    if (signal.aborted) return artifact;
    return { reason: 'precondition_failed', details: { message: messageOf(thrown) }, errorType: null };
  }
}

/** Reads layer 4: files, then the slice, whose arguments may name the files. */
async function layerFour(execution: VisitExecution, isNew: boolean): Promise<Artifact | Failure> {
  const artifact = await artifactOf(execution);
  return 'reason' in artifact ? artifact : withSlice(execution, artifact, isNew);
}

function memoryWith(
  { parts, frame, visit, repaired }: VisitExecution,
  artifact: Artifact,
  stored: PayloadHold = frame.payload,
): BlockMemory {
  const { whereabouts } = parts;
  const { now } = frame.run;
  const persona = parts.definitionOf(visit.block.worker)?.persona ?? null;
  return assembleMemory(frame, visit, { persona, artifact, whereabouts, payload: repaired, stored, now });
}

function scopeOf({ parts, frame, visit }: VisitExecution, side_effect_class: SideEffects): ScopedEvent<AttemptScope> {
  const { span_id, parent_span_id } = parts.spanOf(frame, visit);
  const started_at = frame.run.now();
  return { ...visit.scope, attempt: visit.attempts, span_id, parent_span_id, started_at, side_effect_class };
}

type BegunAttempt = BegunExecution & { readonly ready: BlockMemory; readonly unreadable: Failure | null };

function begun(execution: VisitExecution, artifact: Artifact | Failure): BegunAttempt | Promise<BegunAttempt> {
  const { parts, frame, visit } = execution;
  const { run } = frame;
  const { block } = visit;
  visit.attempts += 1;
  visit.evidence = NO_EVIDENCE;
  const unreadable = 'reason' in artifact ? artifact : null;
  const ready = memoryWith(execution, 'reason' in artifact ? NO_ARTIFACT : artifact);
  run.record({ ...visit.scope, type: 'memory.assembled', layers: sizesOf(ready) });
  parts.onMemory?.(ready);
  const worker = parts.findWorker(block.worker, block.id);
  const start = (sideEffects: SideEffects): BegunAttempt => {
    const scope = scopeOf(execution, sideEffects);
    run.record({ ...scope, type: 'block.started', worker: block.worker });
    moveBlock(execution, 'execute');
    return { memory: () => Promise.resolve(ready), scope, ready, unreadable };
  };
  const inForce = worker === null ? 'none' : classInForce(worker, ready, block, parts.definitionOf(block.worker));
  return inForce instanceof Promise ? inForce.then(start) : start(inForce);
}

/** Begins a new execution: assembles its memory and emits its start. */
export function beginAttempt(execution: VisitExecution): BegunAttempt | Promise<BegunAttempt> {
  const { block } = execution.visit;
  if (block.artifact.length === 0 && block.contextSlice === null) return begun(execution, NO_ARTIFACT);
  return layerFour(execution, true).then((artifact) => begun(execution, artifact));
}

/** Begins an execution whose outcome is remembered: reads nothing and emits nothing. */
export function beginRecovered(execution: VisitExecution): BegunExecution {
  const { visit, frame } = execution;
  const stored = frame.payload;
  visit.attempts += 1;
  visit.evidence = NO_EVIDENCE;
  moveBlock(execution, 'execute');
  const memory = async (): Promise<BlockMemory> => {
    // The files are read only for a new execution, because a replay must not wait for them.
    const artifact = execution.parts.context.live() === null ? await layerFour(execution, false) : NO_ARTIFACT;
    return memoryWith(execution, 'reason' in artifact ? NO_ARTIFACT : artifact, stored);
  };
  return { memory, scope: scopeOf(execution, 'none') };
}

/** Makes the memory for checking the evidence of a block that a person has done by hand. */
export const memoryOfPerson = (execution: VisitExecution): BlockMemory => memoryWith(execution, NO_ARTIFACT);
