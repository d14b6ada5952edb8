import { openClashCheck, reportOf } from '#clash/index.ts';
import type { SuspectedPair } from '#protocol/landing.ts';
import type { LandingPlace } from '#protocol/landing-report.ts';
import { type MeasuredCars, sharingPairs } from './measure-cars.ts';

/** Pairs that probably break each other, and the lines of those that the analysis found. */
export interface Comparison {
  /** The likeliest first: clashes of code, then pairs that change the same files. */
  readonly suspects: readonly SuspectedPair[];
  readonly places: readonly LandingPlace[];
}

/** Compares the branches of cars by the clash check. Without its answer, pairs that share files are suspected. */
export async function compareCars(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  base: string,
  measured: MeasuredCars,
): Promise<Comparison> {
  const sharing = sharingPairs(measured);
  const nameOf = new Map(measured.cars.map(({ branch, name }) => [branch, name]));
  const found = await clashes(root, environment, base, [...nameOf.keys()]).catch(() => []);
  const likely = found.flatMap(({ sides, places }) => {
    const [one, other] = sides.map((side) => nameOf.get(side));
    if (one === undefined || other === undefined) return [];
    const shown = places.flatMap(({ side, ...place }) => {
      const name = nameOf.get(side);
      return name === undefined ? [] : [{ name, file: place.file, line: place.line, text: place.text }];
    });
    return [{ pair: [one, other] as const, places: shown }];
  });
  const isNew = ([one, other]: SuspectedPair): boolean =>
    !likely.some(({ pair }) => pair.includes(one) && pair.includes(other));
  return {
    suspects: [...likely.map(({ pair }) => pair), ...sharing.filter(isNew)],
    places: likely.flatMap(({ places }) => places),
  };
}

async function clashes(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  base: string,
  branches: readonly string[],
) {
  const check = await openClashCheck(root, environment, () =>
    Promise.resolve({ base, branches, pullRequests: [], only: [] }),
  );
  if ('kind' in check) return [];
  try {
    const compared = await check.compare(null);
    if ('kind' in compared) return [];
    // Other worktrees of the repository take part in the comparison, but not in the landing.
    const own = compared.pairs.filter(({ pair: { one, other } }) =>
      [one, other].every(({ name }) => branches.includes(name)),
    );
    const { pairs } = reportOf(await check.analyse({ ...compared, pairs: own }), []);
    return pairs.flatMap(({ sides, clashes: [first] }) =>
      first === undefined ? [] : [{ sides, places: first.places }],
    );
  } finally {
    await check.close();
  }
}
