import type { Visit } from '#protocol/generated/view.gen.ts';
import { calledAt, callTimes } from './call-times.ts';

type Period = readonly [from: number, to: number];

/** Returns the periods in which a visit worked: without its waits for a person, and without the work of its callees. */
function workOf(visit: Visit, calls: ReadonlyMap<string, number>, end: number): readonly Period[] {
  let from = visit.from;
  const periods: Period[] = [];
  for (const wait of visit.waits) {
    periods.push([from, wait.from]);
    from = wait.to ?? end;
  }
  return [...periods, [from, (visit.calls ? calledAt(visit, calls) : null) ?? visit.to ?? end]];
}

/** Returns the sum of the lengths of periods, in milliseconds. */
export const lengthOf = (periods: readonly Period[]): number => periods.reduce((sum, [from, to]) => sum + to - from, 0);

/** Returns the time for which a visit worked itself, in milliseconds. */
export const ownTime = (visit: Visit, calls: ReadonlyMap<string, number>, end: number): number =>
  lengthOf(workOf(visit, calls, end));

/** Returns the periods before `end` in which no visit worked, because the run waited for a person or had stopped. */
export function restsOf(visits: readonly Visit[], end: number): readonly Period[] {
  const calls = callTimes(visits);
  const work = visits.flatMap((visit) => workOf(visit, calls, end)).sort(([one], [other]) => one - other);
  const rests: Period[] = [];
  let until = work[0]?.[0] ?? end;
  for (const [from, to] of [...work, [end, end] as const]) {
    if (from > until && until < end) rests.push([until, Math.min(from, end)]);
    until = Math.max(until, to);
  }
  return rests;
}

/** Returns the time for which the visits worked before `end`, in milliseconds. */
export const workBefore = (visits: readonly Visit[], end: number): number =>
  end - (visits[0]?.from ?? end) - lengthOf(restsOf(visits, end));
