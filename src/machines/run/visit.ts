import type { BlockId, NodeId, SegmentId, StepKey } from '#protocol/id.ts';
import type { Segment, SegmentDraft } from '#protocol/payload.ts';
import type { Failure } from '#protocol/response.ts';
import { type Frame, NO_EVIDENCE, type Visit } from './state.ts';

const stepKey = (frame: Frame, block: BlockId, visit: number): StepKey =>
  `${frame.run.id}${frame.path === '/' ? '' : frame.path}/${block}#${visit}` as StepKey;

type BegunVisit = { readonly ok: true; readonly visit: Visit } | { readonly ok: false; readonly failure: Failure };

/** Returns the innermost node that is open more than once: it calls or forks itself. Null if there is none. */
function recursiveNode(frame: Frame): NodeId | null {
  const open = new Set<NodeId>();
  for (let at: Frame | null = frame; at !== null; at = at.caller) {
    if (open.has(at.called)) return at.called;
    open.add(at.called);
  }
  return null;
}

const exceeded = (
  reason: 'max_run_steps_exceeded' | 'max_steps_exceeded',
  limit: number,
  frame: Frame,
  block: BlockId,
): BegunVisit => {
  const recursive = reason === 'max_steps_exceeded' ? null : recursiveNode(frame);
  return {
    ok: false,
    failure: {
      reason,
      details: {
        [reason === 'max_steps_exceeded' ? 'max_steps' : 'max_run_steps']: limit,
        node: frame.node.id,
        block,
        frame: frame.path,
        ...(recursive !== null && { recursive }),
      },
      errorType: null,
    },
  };
};

function moves(frame: Frame, visit: Visit): BegunVisit {
  resumeMoving(frame, visit);
  return { ok: true, visit };
}

/** Enters a block: begins a new visit within the limits, or continues the same visit after a `retry`. */
export function beginVisit(frame: Frame, id: BlockId): BegunVisit {
  const { run } = frame;
  if (frame.again && frame.visit !== null) {
    frame.again = false;
    return moves(frame, frame.visit);
  }
  const { maxRunSteps } = run.index.graph.limits;
  if (run.begun >= maxRunSteps) return exceeded('max_run_steps_exceeded', maxRunSteps, frame, id);
  if (frame.steps >= frame.node.maxSteps) return exceeded('max_steps_exceeded', frame.node.maxSteps, frame, id);
  run.begun += 1;
  frame.steps += 1;
  const number = (frame.visits.get(id) ?? 0) + 1;
  frame.visits.set(id, number);
  const block = run.index.block(id);
  const key = stepKey(frame, id, number);
  const visit: Visit = {
    block,
    number,
    key,
    scope: {
      type: 'block.entered',
      node: block.node,
      block: id,
      frame: frame.path,
      depth: frame.depth,
      visit: number,
      step_key: key,
    },
    step: null,
    attempts: 0,
    segments: 0,
    children: 0,
    refused: false,
    passed: false,
    span: null,
    moving: false,
    claims: 0,
    evidence: NO_EVIDENCE,
    failure: null,
  };
  frame.visit = visit;
  run.record({ ...visit.scope });
  return moves(frame, visit);
}

/** Marks a visit as not moving, because it waits for a person or has ended. */
export function stopMoving(frame: Frame, visit: Visit): void {
  if (!visit.moving) return;
  visit.moving = false;
  frame.run.moving -= 1;
  frame.run.onStill();
}

export function resumeMoving(frame: Frame, visit: Visit): void {
  if (visit.moving) return;
  visit.moving = true;
  frame.run.moving += 1;
}

/**
 * Makes a stored segment of this visit with the id `<step key>.<n>`. Its time is that of the result or answer that it
 * came with, also in a replay.
 */
export function segmentOf(visit: Visit, draft: SegmentDraft, timestamp: number): Segment {
  visit.segments += 1;
  return Object.freeze({
    id: `${visit.key}.${visit.segments}` as SegmentId,
    type: draft.type,
    content: draft.content,
    source: Object.freeze({ block: visit.block.id, visit: visit.number }),
    meta: draft.meta ?? NO_META,
    timestamp,
  });
}

const NO_META = Object.freeze({});
