/** Comparisons that one compilation may spend on suggestions: thousands of wrong names among thousands of right ones stay cheap. */
const BUDGET = 200_000;

const LONGEST = 100;

/** Levenshtein distance with swaps of neighbours, or null when it is greater than `limit`. */
function distance(left: string, right: string, limit: number): number | null {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= right.length; column += 1) {
      const cost = left[row - 1] === right[column - 1] ? 0 : 1;
      let value = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + cost);
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) value = Math.min(value, (beforeLast[column - 2] ?? 0) + 1);
      current.push(value);
      best = Math.min(best, value);
    }
    if (best > limit) return null;
    [beforeLast, last] = [last, current];
  }
  const result = last[right.length] ?? 0;
  return result > limit ? null : result;
}

/** Finds the legal name that is nearest to a wrong one, for "did you mean". */
export type NearestName = (wrong: string, names: Iterable<string>) => string | null;

function nearest(wrong: string, names: Iterable<string>, spend: () => boolean): string | null {
  if (wrong.length > LONGEST) return null;
  const lower = wrong.toLowerCase();
  let limit = Math.max(1, Math.min(3, Math.floor(wrong.length / 3)));
  let found: string | null = null;
  for (const name of names) {
    if (Math.abs(name.length - wrong.length) > limit || name === wrong) continue;
    if (!spend()) return found;
    const apart = distance(lower, name.toLowerCase(), limit);
    if (apart === null) continue;
    found = name;
    limit = apart - 1;
    if (limit < 0) return found;
  }
  return found;
}

export function createNearestName(): NearestName {
  let left = BUDGET;
  const spend = (): boolean => {
    left -= 1;
    return left >= 0;
  };
  return (wrong, names) => nearest(wrong, names, spend);
}
