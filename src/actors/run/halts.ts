import { compareFrames } from '#machines/run/compare-frames.ts';
import { countRejection } from '#machines/run/rejections.ts';
import type { Frame, Visit } from '#machines/run/state.ts';
import { resumeMoving, segmentOf, stopMoving } from '#machines/run/visit.ts';
import { type Answer, answerText, type Halt } from '#protocol/response.ts';
import type { Clock } from '#protocol/clock.ts';
import type { BlockId, HaltId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { AnswerOutcome, HaltOpening, HaltRequest, TimedValue, RunContext } from '#protocol/run.ts';
import type { ScriptedAnswer } from '#protocol/script.ts';
import { allowedAnswers, offeredAnswers, whyNotRejected } from './allowed-answers.ts';
import { lastOutput } from './last-output.ts';
import { createScriptedAnswers, type ScriptedAnswers } from './scripted-answers.ts';
import { appendSegments } from '#machines/run/payload-log.ts';

/** Adds a person's guidance to the payload, as a segment of the visit to which it refers. */
export function addGuidance(
  frame: Frame,
  visit: Visit,
  guidance: string | undefined,
  when: number,
  meta: JsonObject = {},
): void {
  if (guidance === undefined || guidance === '') return;
  const segment = segmentOf(visit, { type: 'HUMAN_GUIDANCE', content: guidance, meta }, when);
  frame.payload = appendSegments(frame.payload, [segment]);
}

/** The consequence of an answer for the visit that waits for it. */
export type HaltDecision =
  | { readonly kind: 'again' | 'proceed' | 'reject' }
  | { readonly kind: 'elsewhere'; readonly to: BlockId | null }
  /** The frame was stopped before an answer came. */
  | { readonly kind: 'stopped' };

type Verb = Answer['verb'];

interface Waiting {
  readonly halt: Halt;
  /**
   * True for a halt before an execution. Its answer makes the visit count as moving again. For a halt after an
   * execution, the actor that opened the halt does that.
   */
  readonly inVisit: boolean;
  accepted: boolean;
  readonly frame: Frame;
  readonly visit: Visit;
  readonly decision: PromiseWithResolvers<HaltDecision>;
}

const NO_META: JsonObject = Object.freeze({});

/** Marks the reason of a rejection among a person's texts. */
const REJECTED_META: JsonObject = Object.freeze({ rejected: true });

interface HaltParts {
  readonly clock: Clock;
  readonly context: RunContext;
  readonly scripted: readonly ScriptedAnswer[];
  readonly answersFor: (halt: HaltRequest, verbs: readonly Verb[]) => readonly string[];
  readonly abort: () => void;
  readonly onResume: () => void;
}

/** The halts of one run: which visits wait, and what answers do. */
export interface Halts {
  ask(frame: Frame, visit: Visit, halt: HaltOpening, signal: AbortSignal): Promise<HaltDecision>;
  /** Returns the waiting halts in written order. */
  waiting(): readonly Halt[];
  answer(id: HaltId, answer: Answer): AnswerOutcome;
}

const decide = (visit: Visit, answer: Answer): HaltDecision => {
  switch (answer.verb) {
    case 'next':
      return { kind: 'elsewhere', to: visit.block.next };
    case 'jump':
      return { kind: 'elsewhere', to: answer.block };
    case 'proceed':
      return { kind: 'proceed' };
    case 'reject':
      return { kind: 'reject' };
    case 'retry':
    case 'abort':
      return { kind: 'again' };
  }
};

/**
 * Returns the halt of a block that has been executed: its transition table flags the result, or its evidence failed.
 */
export const flagOf = ({ block, failure }: Visit): HaltOpening => ({
  block: block.id,
  // Failed evidence of a callee belongs to the callee.
  why: failure?.reason === 'evidence_failed' && !('child' in failure.details) ? 'evidence' : 'flagged',
  until: null,
});

/** The halts that wait for an answer, and what their answers do. */
interface OpenHalts extends Pick<Halts, 'answer' | 'waiting'> {
  add(at: Waiting): void;
  isWaiting(id: HaltId): boolean;
  drop(id: HaltId): void;
  /** Repeats an answer that was given at the time `when`. */
  repeat(at: Waiting, answer: Answer, when: number): void;
}

function createOpenHalts({ context, abort, onResume }: HaltParts): OpenHalts {
  const waiting = new Map<HaltId, Waiting>();

  const refusal = (at: Waiting | undefined, answer: Answer): AnswerOutcome | null => {
    if (at === undefined) return { accepted: false, why: 'unknown_halt', allowed: [] };
    const allowed = allowedAnswers(at.halt);
    const why = answer.verb === 'reject' ? whyNotRejected(at.halt, answer) : null;
    if (why !== null) return { accepted: false, why, allowed };
    if (!allowed.includes(answer.verb)) return { accepted: false, why: 'not_allowed', allowed };
    if (answer.verb === 'jump' && at.frame.run.index.findBlock(answer.block) === null)
      return { accepted: false, why: 'unknown_block', allowed };
    return null;
  };

  const apply = ({ halt, frame, visit, decision }: Waiting, answer: Answer, when: number): void => {
    frame.run.record({ ...visit.scope, type: 'block.answered', halt_id: halt.halt_id, answer: answerText(answer) });
    const isRejection = answer.verb === 'reject';
    if (isRejection) countRejection(frame, visit.block);
    addGuidance(frame, visit, answer.guidance, when, isRejection ? REJECTED_META : NO_META);
    if (answer.verb === 'abort') abort();
    else decision.resolve(decide(visit, answer));
  };

  /** Marks the visit as moving again, because its answer was accepted and is about to be applied. */
  const moveOn = (at: Waiting): void => {
    const { frame, visit, halt } = at;
    waiting.delete(halt.halt_id);
    at.accepted = true;
    if (at.inVisit) resumeMoving(frame, visit);
    else frame.run.moving += 1;
  };

  return {
    add: (at) => void waiting.set(at.halt.halt_id, at),
    isWaiting: (id) => waiting.has(id),
    drop: (id) => void waiting.delete(id),
    repeat: (at, answer, when) => {
      moveOn(at);
      apply(at, answer, when);
    },
    waiting: () =>
      [...waiting.values()].sort((a, b) => compareFrames(a.frame.path, b.frame.path)).map(({ halt }) => halt),
    answer: (id, given) => {
      const at = waiting.get(id);
      const refused = refusal(at, given);
      if (refused !== null || at === undefined) return refused ?? { accepted: false, why: 'unknown_halt', allowed: [] };
      moveOn(at);
      apply(at, given, context.keepAnswer(at.visit.key, id, given));
      onResume();
      return { accepted: true };
    },
  };
}

/** Creates the functions that answer halts without a person: from the run's script, or when a halt is due. */
function ownAnswers({ clock, context }: HaltParts, halts: OpenHalts, scripted: ScriptedAnswers) {
  const answerFromScript = ({ halt }: Waiting): void => {
    // A person answered first.
    if (!halts.isWaiting(halt.halt_id)) return;
    const given = scripted.take(halt.block);
    if (given !== null) halts.answer(halt.halt_id, given);
  };
  return {
    /**
     * Uses a scripted answer. Waits for the frame's turn in virtual time, as any step does, so that branches use
     * scripted answers in written order.
     */
    askScript: async (at: Waiting, signal: AbortSignal): Promise<void> => {
      const { run, path } = at.frame;
      run.moving += 1;
      await clock.sleep(0, signal, path);
      const turn = signal.aborted ? null : context.turn(path);
      if (turn !== null) await turn;
      if (!signal.aborted) answerFromScript(at);
      run.moving -= 1;
      run.onStill();
    },
    isDue: ({ until }: Halt): boolean => until !== null && clock.now() >= until,
    /**
     * Answers a halt that became due while no process executed the run. If a process executes it, that process answers
     * the halt.
     */
    goOn: async ({ frame, halt }: Waiting, signal: AbortSignal): Promise<void> => {
      const turn = context.turn(frame.path);
      if (turn !== null) await turn;
      if (!signal.aborted) halts.answer(halt.halt_id, { verb: 'retry' });
    },
  };
}

export function createHalts(parts: HaltParts): Halts {
  const { context } = parts;
  const halts = createOpenHalts(parts);
  const scripted = createScriptedAnswers(parts.scripted);
  const own = ownAnswers(parts, halts, scripted);

  const open = (frame: Frame, visit: Visit, opening: HaltOpening): Waiting => {
    const last = lastOutput(frame, visit, opening);
    const { value: id, at } = context.openHalt(visit.key, { ...opening, last });
    const { block, why, until, rejections_left: left } = opening;
    const limit = left === undefined ? {} : { rejections_left: left };
    const task = why === 'manual' ? visit.block.contract : null;
    const halt: Halt = {
      halt_id: id,
      block,
      frame: frame.path,
      why,
      since: at,
      until,
      ...(task === null ? {} : { task }),
      ...limit,
      last,
      answers: parts.answersFor({ id, block, why }, offeredAnswers({ why, ...limit })),
    };
    return { halt, frame, visit, inVisit: visit.moving, accepted: false, decision: Promise.withResolvers() };
  };

  /** Repeats a remembered answer. */
  const replay = async (at: Waiting, known: Promise<TimedValue<Answer>>, signal: AbortSignal): Promise<void> => {
    const { value: answer, at: when } = await known;
    if (signal.aborted) return;
    scripted.forget(at.halt.block, answer);
    halts.repeat(at, answer, when);
  };

  const wait = async (at: Waiting, signal: AbortSignal): Promise<void> => {
    const { halt, frame, visit } = at;
    const id = halt.halt_id;
    const replayed = context.live(at.inVisit ? signal : undefined);
    if (replayed !== null) await replayed;
    if (signal.aborted) return;
    halts.add(at);
    signal.addEventListener('abort', () => halts.drop(id), { once: true });
    frame.run.record({ ...visit.scope, type: 'block.halted', halt_id: id, why: halt.why });
    if (replayed !== null && own.isDue(halt)) await own.goOn(at, signal);
    else if (!scripted.isEmpty()) await own.askScript(at, signal);
    if (!halts.isWaiting(id)) return;
    stopMoving(frame, visit);
    if (replayed !== null) frame.run.onStill();
  };

  return {
    waiting: halts.waiting,
    answer: halts.answer,
    ask: async (frame, visit, opening, signal) => {
      const at = open(frame, visit, opening);
      const stop = (): void => at.decision.resolve({ kind: 'stopped' });
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      const known = context.recallAnswer(visit.key, at.halt.halt_id, signal, at.inVisit);
      await (known === null ? wait(at, signal) : replay(at, known, signal));
      const decision = await at.decision.promise;
      signal.removeEventListener('abort', stop);
      // The frame was stopped before the accepted answer moved it, so it no longer counts as a frame that moves.
      if (decision.kind === 'stopped' && at.accepted && !at.inVisit) frame.run.moving -= 1;
      return decision;
    },
  };
}
