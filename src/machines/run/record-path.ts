import type { Signal } from '#protocol/id.ts';
import type { PathEntry } from '#protocol/response.ts';
import { compareFrames } from './compare-frames.ts';
import { type Frame, NO_EVIDENCE, type RunState, type Visit } from './state.ts';

/** The outcome of a lookup; the visit supplies the rest of a path entry. */
interface LookupOutcome {
  /** Null if the visit was cancelled, or left by a person before it executed. */
  readonly signal: Signal | null;
  readonly via: PathEntry['via'];
  readonly action: string | null;
  readonly row: number | null;
}

const CANCELLED: LookupOutcome = { signal: null, via: 'none', action: null, row: null };

function write(frame: Frame, visit: Visit, { signal, via, action, row }: LookupOutcome): void {
  const { run } = frame;
  if (visit.step === null) {
    run.finished += 1;
    visit.step = run.finished;
    if (run.suspended) run.cutOff += 1;
  }
  const entry: PathEntry = {
    step: visit.step,
    frame: frame.path,
    depth: frame.depth,
    node: visit.block.node,
    block: visit.block.id,
    visit: visit.number,
    attempts: visit.attempts,
    signal,
    via,
    action,
    ...(visit.evidence.length > 0 ? { evidence: visit.evidence } : {}),
  };
  visit.evidence = NO_EVIDENCE;
  frame.signal = signal;
  run.path.push(entry);
  if (!run.suspended) run.keepPath(entry);
  run.record({ type: 'transition.taken', entry, row });
}

/**
 * Writes the path entries of cancelled visits in written order, which also assigns their step numbers; then emits the
 * `node.left` events of their frames.
 */
export function writeCancelled(run: RunState): void {
  if (run.cancelled.length > 0) {
    const cancelled = run.cancelled.splice(0).sort((left, right) => compareFrames(left.frame.path, right.frame.path));
    for (const { frame, visit } of cancelled) write(frame, visit, CANCELLED);
  }
  if (run.left.length > 0) for (const left of run.left.splice(0)) run.record(left);
}

/** Writes one path entry per lookup. The first entry of a visit gives it its step number. */
export function recordEntry(frame: Frame, visit: Visit, followed: LookupOutcome): void {
  writeCancelled(frame.run);
  write(frame, visit, followed);
}
