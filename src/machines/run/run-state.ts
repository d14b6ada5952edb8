import type { Conditions } from '#protocol/condition.ts';
import type { RunFact } from '#protocol/event.ts';
import type { RunId } from '#protocol/id.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { Frame } from './frame.ts';
import type { GraphIndex } from './graph-index.ts';
import type { Visit } from './visit.ts';

/** What all frames of a run share. */
export interface RunState {
  readonly id: RunId;
  readonly index: GraphIndex;
  readonly conditions: Conditions;
  /** Visits begun, against `max_run_steps`. */
  begun: number;
  /** Visits finished: the last `step`. */
  finished: number;
  /** Visits that can go on by themselves: not waiting for a person. */
  moving: number;
  /** Of the deepest frame so far. */
  depth: number;
  readonly path: PathEntry[];
  /** Cancelled visits that wait for their entries, to be put in written order. */
  readonly cancelled: { readonly frame: Frame; readonly visit: Visit }[];
  readonly now: () => number;
  /** Tells the world; never throws. */
  readonly record: (fact: RunFact) => void;
  /** `moving` has sunk: perhaps nobody can move any more. */
  readonly onStill: () => void;
}

export interface RunStateOptions {
  readonly id: RunId;
  readonly index: GraphIndex;
  readonly conditions: Conditions;
  readonly now: () => number;
  readonly record: (fact: RunFact) => void;
  readonly onStill: () => void;
}

export const createRunState = (options: RunStateOptions): RunState => ({
  ...options,
  begun: 0,
  finished: 0,
  moving: 0,
  depth: 0,
  path: [],
  cancelled: [],
});
