import type { Conditions } from '#protocol/condition.ts';
import type { RunFact } from '#protocol/event.ts';
import type { RunId } from '#protocol/id.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { GraphIndex } from './graph-index.ts';
import type { Effects, RunState } from './state.ts';

interface RunStateOptions {
  readonly id: RunId;
  readonly index: GraphIndex;
  readonly conditions: Conditions;
  readonly effects: Effects;
  readonly now: () => number;
  readonly keepPath: (entry: PathEntry) => void;
  readonly record: (fact: RunFact) => void;
  readonly onStill: () => void;
}

export const createRunState = (options: RunStateOptions): RunState => ({
  ...options,
  begun: 0,
  finished: 0,
  cutOff: 0,
  moving: 0,
  depth: 0,
  pausing: false,
  suspended: false,
  path: [],
  cancelled: [],
  left: [],
  leaving: [],
  spent: { tokens: 0, microUsd: 0 },
});
