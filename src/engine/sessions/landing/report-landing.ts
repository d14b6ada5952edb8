import { type LandingEnd, type NotLanded, UNNAMED_FAILURE } from '#protocol/landing.ts';
import type { LandedCar, LandingReport, ReturnedCar } from '#protocol/landing-report.ts';
import type { JournaledLanding, LandingEvidence } from './landing-journal.ts';
import type { Driven } from './run-steps.ts';

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;

/** Returns the reason in one sentence without a subject. */
function reasonText(why: NotLanded, base: string): string {
  const others = listed(why.with);
  switch (why.kind) {
    case 'breaks':
      return why.with.length === 0 ? 'fails without any other branch' : `passes alone, fails together with ${others}`;
    case 'conflict':
      return why.with.length === 0 ? `conflict with ${base}` : `conflict with ${others}`;
    case 'needs':
      return `contains ${others}, which did not land`;
    case 'undecided':
      return why.with.length === 0
        ? 'not decided: the limit of test runs was reached'
        : `not decided between it and ${others}: the limit of test runs was reached`;
    case 'base_fails':
      return `${base} fails without it, so nothing can be said about it`;
    case 'base_moves':
      return `${base} changed again and again; land it again when nothing else changes ${base}`;
  }
}

/** Returns the output of the smallest run with a car that has its failure. */
function outputOf(name: string, why: NotLanded, evidence: readonly LandingEvidence[]): string {
  if (why.kind === 'conflict') return why.why;
  if (why.kind !== 'breaks') return '';
  const runs = evidence.flatMap(({ run, output }) => (run === null ? [] : [{ ...run, output }]));
  const failed = runs.filter(({ cars, failures }) => cars.includes(name) && failures.includes(why.test));
  const smallest = failed.reduce<(typeof failed)[number] | null>(
    (best, one) => (best === null || one.cars.length < best.cars.length ? one : best),
    null,
  );
  return smallest?.output ?? '';
}

function returned({ cars, base }: JournaledLanding, { back }: LandingEnd, evidence: Driven['evidence']) {
  const places = evidence.flatMap((one) => one.places);
  return cars.flatMap(({ name, session }): readonly ReturnedCar[] => {
    const why = back.get(name);
    if (why === undefined) return [];
    const own = why.kind === 'breaks' ? [name, ...why.with] : [];
    const shown = own.length > 1 ? places.filter((place) => own.includes(place.name)) : [];
    return [
      { name, session, why, reason: reasonText(why, base), output: outputOf(name, why, evidence), places: shown },
    ];
  });
}

/** Returns the evidence for a session that came back: the reason, the lines of both sides, and the failing output. */
export function evidenceText({ name, why, reason, output, places }: ReturnedCar, base: string): string {
  const test = why.kind === 'breaks' && why.test !== UNNAMED_FAILURE ? `: ${why.test}` : '';
  const lines = places.map(
    (place) => `${place.name === name ? 'here' : place.name}: ${place.file}:${String(place.line ?? 1)} ${place.text}`,
  );
  return [
    `it came back from landing on ${base}: it ${reason}${test}`,
    ...lines,
    ...(output === '' ? [] : [output]),
  ].join('\n');
}

export const shownCars = ({ cars }: Pick<JournaledLanding, 'cars'>): readonly LandedCar[] =>
  cars.map(({ name, session, branch, tip, files, added, removed }) => ({
    name,
    session,
    branch,
    tip,
    files,
    added,
    removed,
  }));

/** The parts of a report that the landing itself does not know. */
type ReportFacts = Pick<LandingReport, 'left' | 'tests' | 'ms' | 'notes'>;

export function reportLanding(
  landing: JournaledLanding,
  { end, moved, evidence }: Driven,
  facts: ReportFacts,
): LandingReport {
  const { base, from } = landing;
  return {
    base,
    from: moved?.from ?? from,
    to: moved?.to ?? null,
    cars: shownCars(landing),
    landed: end?.landed ?? [],
    back: end === null ? [] : returned(landing, end, evidence),
    runs: evidence.flatMap(({ run }) => run ?? []),
    flaky: end?.flaky ?? [],
    on_base: end?.onBase ?? [],
    is_stopped: end === null,
    ...facts,
  };
}
