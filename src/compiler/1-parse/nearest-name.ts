import { editDistance } from '#protocol/nearest.ts';

/**
 * The maximum number of comparisons for suggestions in one compilation, so that thousands of wrong names among
 * thousands of valid ones don't make it slow.
 */
const BUDGET = 200_000;

const LONGEST = 100;

/** Returns the legal name that is most similar to a wrong one, for "did you mean", or null if none is similar. */
export type NearestName = (wrong: string, names: Iterable<string>) => string | null;

function nearest(wrong: string, names: Iterable<string>, spend: () => boolean): string | null {
  if (wrong.length > LONGEST) return null;
  const lower = wrong.toLowerCase();
  let limit = Math.max(1, Math.min(3, Math.floor(wrong.length / 3)));
  let found: string | null = null;
  for (const name of names) {
    if (Math.abs(name.length - wrong.length) > limit || name === wrong) continue;
    if (!spend()) return found;
    const apart = editDistance(lower, name.toLowerCase(), limit);
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
