import { createTrainBuilder } from '#io/git/outcomes/build-train.ts';
import { scratchesFolder } from '#io/git/outcomes/temporary-worktree.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import type { LandingOrder, LandingPlan } from '#protocol/landing-report.ts';
import { compareCars } from './compare-cars.ts';
import { findCars } from './find-cars.ts';
import { readLanding } from './landing-journal.ts';
import { type LandingParts, landingRefused, soundBase, testsFor } from './landing-parts.ts';
import { shownCars } from './report-landing.ts';
import { runsIn } from './run-steps.ts';
import { measureCars, type TippedCandidate } from './measure-cars.ts';

/** Returns what a landing would do. Changes nothing. */
export async function planOf(
  order: LandingOrder,
  { parts, manager, openRun, serialise }: LandingParts,
): Promise<LandingPlan> {
  const { git, root, environment } = parts;
  const found = await findCars(order, { place: parts, sessions: manager.list(), openRun });
  const { place, base, left } = found;
  const tests = await testsFor(found, parts);
  const from = await soundBase(found, parts);
  const tipped: TippedCandidate[] = [];
  for (const one of found.candidates) {
    const tip = await commitOf(git, place, `refs/heads/${one.branch}`);
    if (tip !== null) tipped.push({ ...one, tip });
  }
  const measured = await measureCars(git, place, from, tipped);
  const builder = createTrainBuilder(git, {
    repository: place,
    scratchFolder: scratchesFolder(place),
    serialise,
    hooks: false,
  });
  const built = await builder.build(from, measured.cars);
  if (built.kind === 'refused') throw landingRefused(built.message);
  const last = readLanding(parts);
  return {
    base,
    from,
    cars: shownCars(measured),
    left,
    conflicts: built.conflicts,
    suspects: (await compareCars(root, environment, base, measured)).suspects,
    tests: tests.argv.join(' '),
    usual: last === null ? null : (runsIn(last).at(-1)?.ms ?? null),
  };
}
