import { compareFrames } from '#machines/run/compare-frames.ts';
import { countRejection } from '#machines/run/rejections.ts';
import type { Frame, Visit } from '#machines/run/state.ts';
import { stopMoving, resumeMoving } from '#machines/run/visit.ts';
import type { Clock } from '#protocol/clock.ts';
import type { BlockId, HaltId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import { missingModuleHint } from '#protocol/missing-module.ts';
import type { Answer, Failure, Halt, HaltReason } from '#protocol/response.ts';
import type { AnswerOutcome, AnswerRefusal, HaltOpening, HaltRequest, TimedValue, RunContext } from '#protocol/run.ts';
import type { ScriptedAnswer } from '#protocol/script.ts';
import { addGuidance } from './add-guidance.ts';
import { createScriptedAnswers, type ScriptedAnswers } from './scripted-answers.ts';

/** The consequence of an answer for the visit that waits for it. */
export type HaltDecision =
  | { readonly kind: 'again' | 'proceed' | 'reject' }
  | { readonly kind: 'elsewhere'; readonly to: BlockId | null }
  /** The frame was stopped before an answer came. */
  | { readonly kind: 'stopped' };

type Verb = Answer['verb'];

const ALLOWED: Readonly<Partial<Record<HaltReason, readonly Verb[]>>> = {
  gate: ['proceed', 'retry', 'next', 'jump', 'abort'],
  step: ['proceed', 'retry', 'next', 'jump', 'abort'],
  manual: ['proceed', 'next', 'jump', 'abort'],
  main_changed: ['proceed', 'next', 'jump', 'abort'],
};
const AFTER_EXECUTION: readonly Verb[] = ['retry', 'next', 'jump', 'abort'];

/** Returns the answers that a halt accepts. */
export function allowedAnswers({
  why,
  rejections_left: left = 0,
}: Pick<Halt, 'why' | 'rejections_left'>): readonly Verb[] {
  const verbs = ALLOWED[why] ?? AFTER_EXECUTION;
  return left > 0 ? verbs.flatMap((verb) => (verb === 'proceed' ? [verb, 'reject'] : [verb])) : verbs;
}

/** Returns why a rejection is refused; null if it is not. */
function whyNotRejected(halt: Pick<Halt, 'why' | 'rejections_left'>, { guidance = '' }: Answer): AnswerRefusal | null {
  if (halt.why !== 'manual') return 'not_allowed';
  if (halt.rejections_left === undefined) return 'no_rejection_row';
  if (halt.rejections_left === 0) return 'rejections_used_up';
  return guidance.trim() === '' ? 'reason_missing' : null;
}

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

const describe = (answer: Answer): string => (answer.verb === 'jump' ? `jump ${answer.block}` : answer.verb);

/**
 * Returns the halt of a block that has been executed: its transition table flags the result, or its evidence failed.
 */
export const flagOf = ({ block, failure }: Visit): HaltOpening => ({
  block: block.id,
  // Failed evidence of a callee belongs to the callee.
  why: failure?.reason === 'evidence_failed' && !('child' in failure.details) ? 'evidence' : 'flagged',
  until: null,
});

/** The maximum number of characters of an excerpt; the payload has the whole text. */
const EXCERPT = 8_192;

/** The maximum number of lines quoted from the end of a failed worker's output. */
const TAIL = 12;

function inWords({ reason, details: { message, output } }: Failure): string {
  const words = typeof message === 'string' ? `${reason}: ${message}` : reason;
  if (typeof output !== 'string' || output.trim() === '') return words;
  return `${words}; its last output:\n${output.trimEnd().split('\n').slice(-TAIL).join('\n')}`;
}

function hintFor(content: string): { readonly hint?: string } {
  const hint = missingModuleHint(content);
  return hint === null ? {} : { hint };
}

function lastSaid({ payload }: Frame, { failure }: Visit, { message, why }: HaltOpening): Halt['last'] {
  if (message !== undefined) return { type: 'WAITS', content: message, scripted: false };
  // The failure is not shown if evidence has failed, because failed evidence has its own log.
  if (failure !== null && why === 'flagged') {
    const content = inWords(failure).slice(0, EXCERPT);
    return { type: 'FAILURE', content, scripted: false, ...hintFor(content) };
  }
  const last = payload.log[payload.length - 1];
  if (last === undefined) return null;
  const { type, content, meta } = last;
  const cut = content.slice(-EXCERPT);
  if (meta['scripted'] === true) return { type, content: cut, scripted: true };
  const { summary } = meta;
  return {
    type,
    content: cut,
    scripted: false,
    ...(typeof summary === 'string' ? { summary } : {}),
    ...hintFor(cut),
  };
}

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
    frame.run.record({ ...visit.scope, type: 'block.answered', halt_id: halt.halt_id, answer: describe(answer) });
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
    const last = lastSaid(frame, visit, opening);
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
      answers: parts.answersFor({ id, block, why }, allowedAnswers({ why, ...limit })),
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
