import { RoboSmithError } from '#protocol/error.ts';
import type { SessionId } from '#protocol/id.ts';
import type { LandingApi, LandingNews, LandingOrder, LandingReport, NotTaken } from '#protocol/landing-report.ts';
import { blockingIgnoredPatterns } from '../creation/blocking-ignored-patterns.ts';
import { repositoryOf } from '../outcomes/merge-work.ts';
import type { ProjectTests } from '../outcomes/verify-merge.ts';
import { compareCars } from './compare-cars.ts';
import { conclude, finishMoved } from './conclude-landing.ts';
import { findCars, type FoundCars } from './find-cars.ts';
import {
  beginJournal,
  has,
  type JournaledCar,
  type JournaledLanding,
  readLanding,
  reopenJournal,
  type StoredLanding,
} from './landing-journal.ts';
import { type LandingParts, landingRefused, soundBase, testsFor } from './landing-parts.ts';
import { measureCars } from './measure-cars.ts';
import { planOf } from './plan-of.ts';
import { reportLanding, shownCars } from './report-landing.ts';
import { type Driven, runSteps, runsIn } from './run-steps.ts';
import { giveBack, takeCars, type TakenCars } from './take-cars.ts';
import { undoLanding } from './undo-landing.ts';

/** A landing whose cars are taken. */
interface Begun {
  readonly found: FoundCars;
  readonly taken: TakenCars;
  readonly stored: StoredLanding;
  /** True if it was interrupted before. */
  readonly isAgain: boolean;
}

interface Observer {
  readonly signal: AbortSignal;
  readonly onNews: (news: LandingNews) => void;
}

/** Returns a landing that was interrupted and can go on; null if there is none. */
function interrupted(stored: StoredLanding | null): StoredLanding | null {
  if (stored === null) return null;
  return has(stored, 'ended') || has(stored, 'undone') || has(stored, 'undoing') ? null : stored;
}

async function giveAllBack({ sessions }: TakenCars, { manager }: LandingParts): Promise<void> {
  for (const one of sessions.values()) await giveBack(one, manager);
}

const isSameTrain = ({ candidates }: FoundCars, { landing: { cars } }: StoredLanding): boolean =>
  candidates.length === cars.length && cars.every(({ branch }) => candidates.some((one) => one.branch === branch));

/** Finds and takes the cars of an order, and begins the journal. */
async function begin(found: FoundCars, maxRuns: number, means: LandingParts): Promise<Begun> {
  const { parts, manager } = means;
  if (found.candidates.length === 0) throw nothingToLand(found.left);
  const from = await soundBase(found, parts);
  const taken = await takeCars(found, manager, parts);
  try {
    const { cars } = await measureCars(parts.git, found.place, from, taken.candidates);
    if (cars.length === 0) throw nothingToLand(taken.left);
    const startedAt = parts.now();
    const landing: JournaledLanding = { type: 'landing', version: 1, base: found.base, from, cars, maxRuns, startedAt };
    beginJournal(parts, landing);
    return { found, taken, stored: { landing, entries: [] }, isAgain: false };
  } catch (thrown) {
    await giveAllBack(taken, means);
    throw thrown;
  }
}

/** Returns a text that is equal for commits with the same files on the same parents, whenever they were made. */
async function contentOf(commit: string, { place }: FoundCars, { parts: { git } }: LandingParts): Promise<string> {
  const read = await git(place, ['rev-parse', `${commit}^{tree}`, `${commit}^@`]);
  return read.ok ? read.out : commit;
}

/** Takes the cars of an interrupted landing again; null if one of them has changed since. */
async function takeAgain(found: FoundCars, stored: StoredLanding, means: LandingParts): Promise<Begun | null> {
  const { base, cars } = stored.landing;
  if (found.base !== base || !isSameTrain(found, stored)) return null;
  const taken = await takeCars(found, means.manager, means.parts);
  const isSame = async ({ branch, tip }: JournaledCar): Promise<boolean> => {
    const now = taken.candidates.find((one) => one.branch === branch)?.tip;
    if (now === undefined || now === tip) return now === tip;
    return (await contentOf(now, found, means)) === (await contentOf(tip, found, means));
  };
  const same = await Promise.all(cars.map(isSame));
  if (!same.includes(false)) return { found, taken, stored, isAgain: true };
  await giveAllBack(taken, means);
  return null;
}

/** Executes a landing whose cars are taken. Every session gets its end, or is as before. */
async function drive(begun: Begun, tests: ProjectTests, observer: Observer, means: LandingParts) {
  const { found, taken, stored } = begun;
  const { parts, serialise, moves, merges } = means;
  const { landing } = stored;
  const { place, base } = found;
  const branches = [base, ...landing.cars.map(({ branch }) => branch)];
  let driven: Driven;
  const ignored = new Map<SessionId, readonly string[]>();
  try {
    for (const { before } of taken.sessions.values())
      ignored.set(before.id, await blockingIgnoredPatterns(before.job, parts.root));
    driven = await runSteps(stored, {
      parts,
      serialise,
      duringMove: (move) => moves.during(branches, () => merges.during(move)),
      place,
      tests,
      compare: async (wanted) => {
        const some = taken.candidates.filter(({ name }) => wanted.includes(name));
        const measured = await measureCars(parts.git, place, landing.from, some);
        return compareCars(parts.root, parts.environment, base, measured);
      },
      ...observer,
    });
  } catch (thrown) {
    await giveAllBack(taken, means);
    throw thrown;
  }
  const notes = await conclude(stored, driven, begun, ignored, means);
  return { driven, notes };
}

/** Starts a landing, or goes on with one that was interrupted. */
async function start(order: LandingOrder, observer: Observer, means: LandingParts): Promise<LandingReport> {
  const began = performance.now();
  const { parts, manager, openRun } = means;
  const old = interrupted(readLanding(parts));
  const end = old === null ? null : await finishMoved(old, means);
  const open = end === null ? old : null;
  const isNamed = order.names.length > 0 || order.all;
  if (!isNamed && old !== null && end !== null)
    return reportLanding(old.landing, end, { left: [], tests: '', ms: 0, notes: [] });
  if (!isNamed && open === null) throw whatToLand();
  const names = open === null || isNamed ? order : { names: open.landing.cars.map(({ branch }) => branch), all: false };
  const found = await findCars(names, { place: parts, sessions: manager.list(), openRun });
  const tests = await testsFor(found, parts);
  const again = open === null ? null : await takeAgain(found, open, means);
  if (again !== null) reopenJournal(parts, again.stored);
  const begun = again ?? (await begin(found, order.maxRuns, means));
  const { landing } = begun.stored;
  const command = tests.argv.join(' ');
  const { left } = begun.taken;
  const shown = { base: found.base, from: landing.from, cars: shownCars(landing), left, tests: command, usual: null };
  observer.onNews({ kind: 'plan', plan: shown, goesOn: begun.isAgain ? runsIn(begun.stored).length + 1 : null });
  const { driven, notes } = await drive(begun, tests, observer, means);
  return reportLanding(landing, driven, { left, tests: command, ms: Math.round(performance.now() - began), notes });
}

/** Creates the operations that land branches. One landing goes on at a time. */
export function openLanding(means: LandingParts): LandingApi {
  const { parts, moves, merges } = means;
  let isActive = false;
  const alone = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (isActive)
      throw new RoboSmithError('wrong_state', 'Another landing is going on in this project. Wait for its end.', {
        next: ['robosmith status'],
      });
    isActive = true;
    try {
      return await work();
    } finally {
      isActive = false;
    }
  };
  const undo: LandingApi['undo'] = async () => {
    const located = await repositoryOf(parts);
    if (!located.ok) throw landingRefused(located.why);
    const stored = readLanding(parts);
    return undoLanding(stored, located.place, parts, {
      git: parts.git,
      duringMove: (work) => moves.during([stored?.landing.base ?? ''], () => merges.during(work)),
    });
  };
  return {
    plan: (order) => planOf(order, means),
    start: (order, signal, onNews) => alone(() => start(order, { signal, onNews }, means)),
    undo: () => alone(undo),
  };
}

const whatToLand = (): RoboSmithError =>
  new RoboSmithError('usage', 'Name the sessions, branches or worktrees to land, or give --all.', {
    next: ['robosmith land --plan --all', 'robosmith land --help'],
  });

function nothingToLand(left: readonly NotTaken[]): RoboSmithError {
  const lines = left.slice(0, 20).map(({ name, why }) => `  ${name}: ${why}`);
  return landingRefused(['Nothing to land.', ...lines].join('\n'), ['robosmith status']);
}
