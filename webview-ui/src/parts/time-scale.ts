import type { Visit } from '#protocol/generated/view.gen.ts';
import { lengthOf, restsOf } from '../model/rests.ts';

/** Part of the time of work that a rest takes at most on the timeline, so that the work stays visible. */
const MOST_REST = 0.08;
const LEAST_REST_MS = 1000;

type Mark = readonly [time: number, place: number];

/** Converts between times and places from 0 (the beginning of the run) to 1. Long rests are shown shortened. */
export interface TimeScale {
  readonly placeOf: (time: number) => number;
  readonly timeAt: (place: number) => number;
}

/** Returns the coordinate `to` of the point with this coordinate `from` on the line through all marks. */
function convert(marks: readonly Mark[], value: number, from: 0 | 1, to: 0 | 1): number {
  const at = Math.max(
    1,
    marks.findIndex((mark) => mark[from] >= value),
  );
  const [before, after] = [marks[at - 1], marks[at]];
  if (before === undefined || after === undefined) return 0;
  const length = after[from] - before[from];
  const part = length === 0 ? 1 : Math.max(0, Math.min(1, (value - before[from]) / length));
  return before[to] + (after[to] - before[to]) * part;
}

export function timeScale(visits: readonly Visit[], from: number, to: number): TimeScale {
  const rests = restsOf(visits, to);
  const work = to - (visits[0]?.from ?? to) - lengthOf(rests);
  const most = Math.max(LEAST_REST_MS, work * MOST_REST);
  let left = 0;
  const marks: Mark[] = [[from, 0]];
  for (const [begin, end] of rests) {
    marks.push([begin, begin - from - left]);
    left += Math.max(0, end - begin - most);
    marks.push([end, end - from - left]);
  }
  const width = Math.max(1, to - from - left);
  marks.push([to, width]);
  return {
    placeOf: (time) => convert(marks, time, 0, 1) / width,
    timeAt: (place) => convert(marks, place * width, 1, 0),
  };
}
