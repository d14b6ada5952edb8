import { planLanding } from '#logic/landing/plan-landing.ts';
import type { Serialise } from '#io/files/serialise.ts';
import { createTrainBuilder } from '#io/git/outcomes/build-train.ts';
import { inspectBase } from '#io/git/outcomes/inspect-base.ts';
import { isAncestor } from '#io/git/outcomes/merge-session.ts';
import { moveBase } from '#io/git/outcomes/move-base.ts';
import { scratchesFolder, withScratch } from '#io/git/outcomes/temporary-worktree.ts';
import type { Refusal } from '#io/git/plumbing/refusal.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { LandingAnswer, LandingEnd, LandingStep } from '#protocol/landing.ts';
import type { LandingNews, LandingRun } from '#protocol/landing-report.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import { recordMerge } from '../outcomes/merge-work.ts';
import type { ProjectTests } from '../outcomes/verify-merge.ts';
import type { Comparison } from './compare-cars.ts';
import {
  appendEntry,
  type JournaledCar,
  type JournalEntry,
  type LandingEvidence,
  type StoredLanding,
} from './landing-journal.ts';

export interface StepParts {
  readonly parts: SessionPlaceParts;
  readonly serialise: Serialise;
  /** Runs a move of the base, which the guard of the main checkout must not take for the work of a block. */
  readonly duringMove: <Value>(work: () => Promise<Value>) => Promise<Value>;
  readonly place: string;
  readonly tests: ProjectTests;
  readonly compare: (cars: readonly string[]) => Promise<Comparison>;
  readonly signal: AbortSignal;
  readonly onNews: (news: LandingNews) => void;
}

/** How far a landing has come. */
export interface Driven {
  /** Null: it was interrupted, and can go on. */
  readonly end: LandingEnd | null;
  /** The base's commits before and after the move; null if it was not moved. */
  readonly moved: { readonly from: string; readonly to: string } | null;
  readonly evidence: readonly LandingEvidence[];
}

const refusedBy = ({ message, files }: Refusal): RoboSmithError =>
  new RoboSmithError('refused', [message, ...files.slice(0, 20).map((file) => `  ${file}`)].join('\n'), {
    next: ['robosmith land'],
  });

type Moving = Extract<JournalEntry, { type: 'moving' }>;

/** Repeats a landing from its journal, up to the first step that the journal has no answer for. */
function replay({ landing, entries }: StoredLanding) {
  const plan = planLanding(landing);
  const evidence: LandingEvidence[] = [];
  let base = landing.from;
  let moving: Moving | null = null;
  let step = plan.next();
  for (const entry of entries) {
    if (entry.type === 'base') base = entry.commit;
    else if (entry.type === 'moving') moving = entry;
    else if (entry.type === 'answer') {
      if (entry.evidence !== null) evidence.push(entry.evidence);
      step = afterFindings(plan, plan.next(entry.answer), () => undefined);
    }
  }
  return { plan, step, base, moving, evidence };
}

/** Returns the test runs of a landing. */
export const runsIn = ({ entries }: StoredLanding): readonly LandingRun[] =>
  entries.flatMap((entry) => (entry.type === 'answer' ? (entry.evidence?.run ?? []) : []));

const drivenTo = (end: LandingEnd | null, moving: Moving | null, evidence: readonly LandingEvidence[]): Driven => ({
  end,
  moved: end === null || end.landed.length === 0 || moving === null ? null : { from: moving.from, to: moving.to },
  evidence,
});

/** Returns how far a landing has come. */
export function drivenBefore(stored: StoredLanding): Driven {
  const { step, moving, evidence } = replay(stored);
  return drivenTo(step.done === true ? step.value : null, moving, evidence);
}

/** Executes the steps of a landing that the journal lacks. Each answer is in the journal before the next step begins. */
export async function runSteps(stored: StoredLanding, work: StepParts): Promise<Driven> {
  const { parts, signal, onNews } = work;
  const { plan, evidence, ...before } = replay(stored);
  let { step, base, moving } = before;
  const executor = createExecutor(stored, evidence, work);
  while (step.done !== true) {
    const done = signal.aborted ? null : await executor.execute(step.value, base, moving);
    if (done === null) return drivenTo(null, moving, evidence);
    moving = done.moving ?? moving;
    if (done.evidence !== null) evidence.push(done.evidence);
    appendEntry(parts, { type: 'answer', answer: done.answer, evidence: done.evidence });
    if (done.answer.kind === 'base_moved') {
      base = await executor.soundBase();
      appendEntry(parts, { type: 'base', commit: base });
    }
    step = afterFindings(plan, plan.next(done.answer), onNews);
  }
  return drivenTo(step.value, moving, evidence);
}

type Plan = ReturnType<typeof planLanding>;

/** Reports findings of the plan, and returns the next step that needs an answer. */
function afterFindings(plan: Plan, first: ReturnType<Plan['next']>, onNews: StepParts['onNews']) {
  let step = first;
  while (step.done !== true && step.value.kind === 'found') {
    onNews({ kind: 'found', found: step.value.found });
    // The plan only reports here and reads no answer.
    step = plan.next({ kind: 'moved' });
  }
  return step;
}

interface Executed {
  readonly answer: LandingAnswer;
  readonly evidence: LandingEvidence | null;
  readonly moving?: Moving;
}

function createExecutor(
  { landing }: StoredLanding,
  known: readonly LandingEvidence[],
  { parts, serialise, duringMove, place, tests, compare, signal, onNews }: StepParts,
) {
  const { git } = parts;
  const scratchFolder = scratchesFolder(place);
  const builder = createTrainBuilder(git, { repository: place, scratchFolder, serialise });
  let runs = known.filter(({ run }) => run !== null).length;
  const carsNamed = (names: readonly string[]): readonly JournaledCar[] =>
    landing.cars.filter(({ name }) => names.includes(name));

  const soundBase = async (): Promise<string> => {
    const sound = await inspectBase(git, place, landing.base);
    if (sound.kind === 'refused') throw refusedBy(sound);
    return sound.commit;
  };

  const build = async (base: string, names: readonly string[]) => {
    const built = await builder.build(base, carsNamed(names));
    if (built.kind === 'refused') throw refusedBy(built);
    return built;
  };

  /** Returns the very commit that was tested, also if that was before an interruption: a second one may differ. */
  const testedCommit = (cars: readonly string[], base: string): string | undefined =>
    known.findLast(({ run, tested }) => tested?.base === base && run?.cars.join('\n') === cars.join('\n'))?.tested
      ?.commit;

  const test = async (cars: readonly string[], base: string): Promise<Executed | null> => {
    const built = await build(base, cars);
    if (built.conflicts.length > 0) return { answer: { kind: 'not_built' }, evidence: null };
    onNews({ kind: 'testing', number: runs + 1, cars });
    const began = performance.now();
    const scratch = { repository: place, scratchFolder, commit: built.commit, hasFiles: true, serialise };
    const end = await withScratch(git, scratch, (folder) => tests.run(folder, signal));
    if ('kind' in end) throw refusedBy(end);
    // The failures of an interrupted run say nothing about the branches.
    if (signal.aborted) return null;
    runs += 1;
    const { failures, counts, text } = end;
    const run: LandingRun = { number: runs, cars, failures, counts, ms: Math.round(performance.now() - began) };
    onNews({ kind: 'tested', run });
    return {
      answer: { kind: 'tested', failures },
      evidence: { run, tested: { base, commit: built.commit }, output: text, places: [] },
    };
  };

  const move = async (names: readonly string[], base: string, before: Moving | null): Promise<Executed> => {
    const ref = `refs/heads/${landing.base}`;
    // The process may have died just after it had moved the base.
    if (before !== null && (await isAncestor(git, place, before.to, ref)))
      return { answer: { kind: 'moved' }, evidence: null, moving: before };
    const commit = testedCommit(names, base) ?? (await build(base, names)).commit;
    if ((await soundBase()) !== base) return { answer: { kind: 'base_moved' }, evidence: null };
    const moving = { type: 'moving', from: base, to: commit, cars: names } as const;
    for (const { session } of carsNamed(names)) if (session !== null) await recordMerge(session, commit, place, git);
    appendEntry(parts, moving);
    const moved = await duringMove(() => serialise(() => moveBase(git, place, landing.base, base, commit)));
    if (moved === 'moved_meanwhile') return { answer: { kind: 'base_moved' }, evidence: null };
    if (moved.kind === 'refused') throw refusedBy(moved);
    return { answer: { kind: 'moved' }, evidence: null, moving };
  };

  return {
    soundBase,
    execute: async (step: LandingStep, base: string, moving: Moving | null): Promise<Executed | null> => {
      switch (step.kind) {
        case 'build': {
          const { conflicts } = await build(base, step.cars);
          onNews({ kind: 'built', conflicts: conflicts.map(({ name }) => name) });
          return { answer: { kind: 'built', conflicts }, evidence: null };
        }
        case 'test':
          return test(step.cars, base);
        case 'compare': {
          const { suspects, places } = await compare(step.cars);
          return { answer: { kind: 'compared', suspects }, evidence: { run: null, tested: null, output: '', places } };
        }
        case 'move':
          return move(step.cars, base, moving);
        case 'found':
          return { answer: { kind: 'moved' }, evidence: null };
      }
    },
  };
}
