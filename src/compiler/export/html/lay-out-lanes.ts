export interface Span {
  readonly top: number;
  readonly bottom: number;
}

const MOST_LANES = 14;

/**
 * A lane for each span so that spans of one lane do not overlap; short spans go inside, long ones outside.
 * Past the last lane they share it: a picture with that many lines is not read line by line.
 */
export function layOutLanes(spans: readonly Span[]): { readonly lanes: readonly number[]; readonly count: number } {
  const taken: Span[][] = [];
  const lanes = new Array<number>(spans.length).fill(0);
  const shortestFirst = spans.map((_, index) => index).sort((a, b) => length(spans[a]) - length(spans[b]) || a - b);
  for (const index of shortestFirst) {
    const span = spans[index];
    if (span === undefined) continue;
    const free = taken.findIndex((lane) => lane.every((other) => other.bottom < span.top || other.top > span.bottom));
    const lane = free === -1 ? Math.min(taken.length, MOST_LANES - 1) : free;
    (taken[lane] ??= []).push(span);
    lanes[index] = lane;
  }
  return { lanes, count: taken.length };
}

const length = (span: Span | undefined): number => (span === undefined ? 0 : span.bottom - span.top);
