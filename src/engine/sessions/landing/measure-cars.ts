import { commitSubjects, lineOf } from '#io/git/plumbing/quiet-git.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { messageOf } from '../outcomes/merge-work.ts';
import type { Candidate } from './find-cars.ts';
import type { JournaledCar } from './landing-journal.ts';

/** A candidate with the commit that is merged. */
export interface TippedCandidate extends Candidate {
  readonly tip: string;
}

const MOST_SUBJECTS = 50;

/** Returns the message of a branch without a session: that of its only commit, or a list of its commits. */
async function branchMessage(git: Git, place: string, base: string, { branch, tip }: TippedCandidate): Promise<string> {
  const { subjects, isCut } = await commitSubjects(git, place, { from: base, to: tip, most: MOST_SUBJECTS });
  if (subjects.length === 1) {
    const whole = await git(place, ['log', '-1', '--no-merges', '--format=%B', `${base}..${tip}`, '--']);
    if (whole.ok && whole.out.trim() !== '') return whole.out.trim();
  }
  const list = [...(isCut ? ['- … and older ones'] : []), ...subjects.map((subject) => `- ${subject}`)];
  return [`Merge ${branch}`, ...(list.length === 0 ? [] : ['', ...list])].join('\n');
}

async function sizeOf(git: Git, place: string, base: string, tip: string) {
  const diff = await git(place, ['diff', '--numstat', '-z', '--no-renames', `${base}...${tip}`, '--']);
  const rows = diff.out.split('\0').filter((row) => row !== '');
  const count = (at: number): number => rows.reduce((sum, row) => sum + (Number(row.split('\t')[at]) || 0), 0);
  const names = rows.map((row) => row.split('\t').slice(2).join('\t'));
  return { files: rows.length, added: count(0), removed: count(1), names };
}

/** Cars in their order, and the files that each changes. */
export interface MeasuredCars {
  readonly cars: readonly JournaledCar[];
  readonly files: ReadonlyMap<string, readonly string[]>;
}

/** Measures candidates, and puts a branch that contains another one behind it. */
export async function measureCars(
  git: Git,
  place: string,
  base: string,
  candidates: readonly TippedCandidate[],
): Promise<MeasuredCars> {
  const files = new Map<string, readonly string[]>();
  const cars: JournaledCar[] = [];
  for (const one of candidates) {
    const { name, session, branch, tip } = one;
    const { names, ...size } = await sizeOf(git, place, base, tip);
    const message = session === null ? await branchMessage(git, place, base, one) : messageOf(session, null);
    files.set(name, names);
    const needs = await containedIn(git, place, base, one, candidates);
    cars.push({ name, session: session?.id ?? null, branch, tip, ...size, needs, message });
  }
  return { cars: inOrder(cars), files };
}

/** Returns the other candidates whose commits a candidate contains. Of two with the same commit, the later needs the earlier. */
async function containedIn(
  git: Git,
  place: string,
  base: string,
  { name, tip }: TippedCandidate,
  candidates: readonly TippedCandidate[],
): Promise<readonly string[]> {
  const own = lineOf(await git(place, ['rev-list', '--count', `${base}..${tip}`, '--']));
  if (own === '1') return sameBefore(name, tip, candidates);
  const found: string[] = [];
  for (const other of candidates) {
    if (other.name === name || other.tip === tip) continue;
    if ((await git(place, ['merge-base', '--is-ancestor', other.tip, base])).ok) continue;
    if ((await git(place, ['merge-base', '--is-ancestor', other.tip, tip])).ok) found.push(other.name);
  }
  return [...found, ...sameBefore(name, tip, candidates)];
}

function sameBefore(name: string, tip: string, candidates: readonly TippedCandidate[]): readonly string[] {
  const index = candidates.findIndex((one) => one.name === name);
  return candidates.slice(0, index).flatMap((one) => (one.tip === tip ? [one.name] : []));
}

/** Moves cars only as far as those that they need require. */
function inOrder(cars: readonly JournaledCar[]): readonly JournaledCar[] {
  const placed: JournaledCar[] = [];
  const place = (car: JournaledCar): void => {
    if (placed.includes(car)) return;
    for (const name of car.needs) {
      const needed = cars.find((one) => one.name === name);
      if (needed !== undefined) place(needed);
    }
    placed.push(car);
  };
  for (const car of cars) place(car);
  return placed;
}

/** Returns pairs of cars that change the same files, those with the most in common first. */
export function sharingPairs({ cars, files }: MeasuredCars): readonly (readonly [string, string])[] {
  const pairs = cars.flatMap(({ name }, index) =>
    cars.slice(index + 1).flatMap((other) => {
      const own = new Set(files.get(name));
      const shared = (files.get(other.name) ?? []).filter((file) => own.has(file)).length;
      return shared === 0 ? [] : [{ pair: [name, other.name] as const, shared }];
    }),
  );
  return pairs.sort((a, b) => b.shared - a.shared).map(({ pair }) => pair);
}
