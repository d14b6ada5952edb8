import type { Signal } from '#protocol/id.ts';
import type { PathEntry } from '#protocol/response.ts';
import { compareFrames } from './compare-frames.ts';
import { type Frame, NO_EVIDENCE, type RunState, type Visit } from './state.ts';

/** What a look-up said; the rest of an entry is known from the visit. */
export interface Followed {
  /** Null: cancelled, or left by a person before it executed. */
  readonly signal: Signal | null;
  readonly via: PathEntry['via'];
  readonly action: string | null;
  readonly row: number | null;
}

const CANCELLED: Followed = { signal: null, via: 'none', action: null, row: null };

function write(frame: Frame, visit: Visit, { signal, via, action, row }: Followed): void {
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
  run.path.push(entry);
  if (!run.suspended) run.keepPath(entry);
  run.record({ type: 'transition.taken', entry, row });
}

/** Cancelled visits get their entries, and so their steps, in written order; then the frames that ended with them are told. */
export function writeCancelled(run: RunState): void {
  if (run.cancelled.length > 0) {
    const cancelled = run.cancelled.splice(0).sort((left, right) => compareFrames(left.frame.path, right.frame.path));
    for (const { frame, visit } of cancelled) write(frame, visit, CANCELLED);
  }
  if (run.left.length > 0) for (const left of run.left.splice(0)) run.record(left);
}

/** One look-up becomes one entry; the first of a visit gives it its step. */
export function recordEntry(frame: Frame, visit: Visit, followed: Followed): void {
  writeCancelled(frame.run);
  write(frame, visit, followed);
}
