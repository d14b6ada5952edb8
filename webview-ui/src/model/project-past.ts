import { calledAt, callTimes } from './call-times.ts';
import { ownTime, workBefore } from './rests.ts';
import type { BlockState, RowState, RunTotals, ViewFrame, Visit } from '#protocol/generated/view.gen.ts';
import { addSpending, NO_SPENDING } from '#protocol/view/add-spending.ts';

/** The state of a run right after one of its steps. */
export interface Past {
  readonly at: number;
  readonly blocks: readonly BlockState[];
  readonly rows: readonly RowState[];
  readonly frames: readonly ViewFrame[];
  readonly totals: RunTotals;
}

const isOpen = (visit: Visit, at: number): boolean => visit.to === null || visit.to > at;

/** Returns true if the visit was waiting for a person at the given time. */
const isHalted = ({ waits }: Visit, at: number): boolean =>
  waits.some(({ from, to }) => from <= at && (to === null || to > at));

/**
 * Returns the time at which a visit finished its step, or null if it has not finished it. A visit that calls a node or
 * halts remains open after its step.
 */
export function stepTime(visit: Visit, calls: ReadonlyMap<string, number>): number | null {
  const called = visit.calls ? calledAt(visit, calls) : null;
  return called ?? visit.to ?? visit.waits.at(-1)?.from ?? null;
}

const parentOf = (frame: string): string | null => {
  const end = frame.lastIndexOf('/');
  if (frame === '/') return null;
  return end <= 0 ? '/' : frame.slice(0, end);
};

function countRows(visits: readonly Visit[], step: number): readonly RowState[] {
  const rows = new Map<string, RowState>();
  for (const visit of visits) {
    if (visit.row === null || visit.step === null || visit.step > step) continue;
    const key = `${visit.row} ${visit.block}`;
    const { count, lastStep } = rows.get(key) ?? { count: 0, lastStep: 0 };
    rows.set(key, {
      block: visit.block,
      row: visit.row,
      count: count + 1,
      lastStep: Math.max(lastStep, visit.step),
    });
  }
  return [...rows.values()];
}

function stateOf(
  visits: readonly Visit[],
  at: number,
  waitsFor: readonly string[],
  calls: ReadonlyMap<string, number>,
): BlockState | null {
  const last = visits.at(-1);
  if (last === undefined) return null;
  const open = visits.filter((visit) => isOpen(visit, at));
  const isActive = open.length > 0;
  return {
    block: last.block,
    status: !isActive ? last.status : open.some((visit) => isHalted(visit, at)) ? 'halted' : 'active',
    visits: visits.length,
    attempt: last.attempts,
    since: last.from,
    // A caller has its time as soon as it calls.
    durationMs: isActive && waitsFor.length === 0 ? null : ownTime(last, calls, at),
    waitsFor: isActive ? waitsFor : [],
    heads: open.length,
    progress: null,
  };
}

/**
 * Reconstructs the state that the graph showed right after a step. Returns null if the step's visit is not known.
 * `nodeOf` returns the node of a block.
 */
export function projectPast(visits: readonly Visit[], step: number, nodeOf: (block: string) => string): Past | null {
  const finished = visits.find((visit) => visit.step === step);
  const calls = callTimes(visits);
  const at = finished === undefined ? null : stepTime(finished, calls);
  if (at === null) return null;
  const begun = visits.filter(
    (visit) => visit.from <= at && (visit.step === null || visit.step <= step || isOpen(visit, at)),
  );
  const open = begun.filter((visit) => isOpen(visit, at));
  const called = (visit: Visit): readonly string[] => [
    ...new Set(
      open
        .filter(
          (other) =>
            parentOf(other.frame) === visit.frame &&
            other.frame.startsWith(`${visit.frame === '/' ? '' : visit.frame}/${visit.block}#`),
        )
        .map((other) => nodeOf(other.block)),
    ),
  ];
  const byBlock = Map.groupBy(begun, (visit) => visit.block);
  const spent = begun.filter((visit) => !isOpen(visit, at)).map((visit) => visit.spending);
  return {
    at,
    blocks: [...byBlock.values()].flatMap((some) => {
      const last = some.findLast((visit) => isOpen(visit, at));
      return stateOf(some, at, last === undefined ? [] : called(last), calls) ?? [];
    }),
    rows: countRows(visits, step),
    frames: open.map((visit) => ({
      frame: visit.frame,
      parent: parentOf(visit.frame),
      depth: visit.depth,
      node: nodeOf(visit.block),
      block: visit.block,
      visit: visit.visit,
      branch: null,
      status: isHalted(visit, at) ? 'halted' : 'active',
    })),
    totals: {
      spending: spent.reduce(addSpending, NO_SPENDING),
      budgetMicroUsd: null,
      elapsedMs: workBefore(visits, at),
      at,
      ticking: false,
    },
  };
}
