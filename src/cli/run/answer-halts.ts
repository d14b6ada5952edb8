import { setImmediate } from 'node:timers/promises';
import { offeredAnswers } from '#engine/index.ts';
import type { EventListener } from '#protocol/event.ts';
import type { HaltId } from '#protocol/id.ts';
import type { AnswerOutcome, Run } from '#protocol/run.ts';
import type { Answer, Halt, Response } from '#protocol/response.ts';
import type { AskPerson, GivenAnswer, RefusedAnswer } from '../names/person.ts';

/** A run in this process or in the engine host. */
export interface AnsweredRun extends Pick<Run, 'settled' | 'halts' | 'subscribe'> {
  answer(...given: Parameters<Run['answer']>): AnswerOutcome | Promise<AnswerOutcome>;
  /** True if `answer` waits until a resumed run has reached the halt again. */
  readonly waitsForHalt?: true;
  /** Rejects when the run can't be followed any more. */
  readonly lost?: Promise<never>;
}

type RefusedOutcome = Extract<AnswerOutcome, { readonly accepted: false }>;

interface AnswerParts {
  readonly given: readonly GivenAnswer[];
  readonly ask: AskPerson | null;
  readonly refused: (refusal: RefusedAnswer) => void;
  /** Returns the error for an answer to a named halt. `refusal` is null if the halt was never open here. */
  readonly notTaken: (halt: HaltId, refusal: RefusedOutcome | null) => Error;
  readonly now: () => number;
  /** Receives the events of the run. A question that an event makes out of date is closed before. */
  readonly onEvent?: EventListener;
}

type NamedAnswer = GivenAnswer & { readonly to: { readonly halt: HaltId } };

const isNamed = (given: GivenAnswer): given is NamedAnswer => 'halt' in given.to;

/** Removes and returns the first answer that was given for this block. */
function takeGiven(left: GivenAnswer[], { block }: Halt): Answer | null {
  const at = left.findIndex(({ to }) => 'block' in to && to.block === block);
  return at === -1 ? null : (left.splice(at, 1)[0]?.answer ?? null);
}

const isDue = ({ until }: Halt, now: number): boolean => until !== null && until <= now;

/**
 * Gives the answers for named halts, each as soon as its halt waits. If one of them is not accepted, `failed` and
 * `rest` reject: an answer that a person gave is never dropped.
 */
function giveNamed(run: AnsweredRun, given: readonly NamedAnswer[], notTaken: AnswerParts['notTaken']) {
  const left = [...given];
  const own = new Set(given.map(({ to }) => to.halt));
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  let sending: Promise<void>[] = [];
  const send = async ({ to: { halt }, answer }: NamedAnswer): Promise<void> => {
    const outcome = await run.answer(halt, answer);
    if (!outcome.accepted) throw notTaken(halt, outcome);
  };
  const begin = (one: NamedAnswer): void => {
    left.splice(left.indexOf(one), 1);
    const sent = send(one);
    sent.catch(failed.reject);
    sending.push(sent);
  };
  if (run.waitsForHalt === true) for (const one of given) begin(one);
  return {
    /** Whether this command answers the halt. */
    isOwn: (halt: HaltId): boolean => own.has(halt),
    failed: failed.promise,
    halted: (halt: HaltId): void =>
      void setImmediate().then(() => {
        const found = left.find(({ to }) => to.halt === halt);
        if (found !== undefined) begin(found);
      }),
    /** Waits for the answers that are being sent. Returns whether there were any since the last call. */
    settle: async (): Promise<boolean> => {
      if (left.length > 0) await setImmediate();
      const sent = sending;
      sending = [];
      await Promise.all(sent);
      return sent.length > 0;
    },
    rest: (): void => {
      const [unused] = left;
      if (unused !== undefined) throw notTaken(unused.to.halt, null);
    },
  };
}

/** Answers halts as long as there are answers: from the command line, from schedules, then from a person. */
export async function answerHalts(run: AnsweredRun, parts: AnswerParts): Promise<Response> {
  const { given, ask, refused, notTaken, now } = parts;
  const left = [...given];
  const named = giveNamed(run, given.filter(isNamed), notTaken);
  const own = new Set<HaltId>();
  /** Halts that the person has left waiting. */
  const declined = new Set<HaltId>();
  const answeredElsewhere = new Set<HaltId>();
  let isOver = false;
  /** Closes the question that is displayed. */
  let close = (): void => undefined;

  const listen: EventListener = (event) => {
    if (event.type === 'block.halted') named.halted(event.halt_id);
    if (event.type === 'run.finished') isOver = true;
    if (event.type === 'block.answered' && !own.has(event.halt_id) && !named.isOwn(event.halt_id))
      answeredElsewhere.add(event.halt_id);
    if (isOutOfDate()) close();
    parts.onEvent?.(event);
  };
  /** Returns whether the halts that were reported last are not all open any more. */
  const isOutOfDate = (): boolean => isOver || run.halts().some(({ halt_id }) => answeredElsewhere.has(halt_id));

  /** Asks the person. The question is closed when its halt is out of date, or the run can't be followed any more. */
  const question = async (halt: Halt, response: Response): Promise<Answer | null> => {
    if (ask === null || declined.has(halt.halt_id)) return null;
    const open = new AbortController();
    close = () => open.abort();
    const asked = ask(halt, offeredAnswers(halt), response, open.signal);
    try {
      const answer = await Promise.race([asked, run.lost ?? asked]);
      if (answer === null && !open.signal.aborted) declined.add(halt.halt_id);
      return answer;
    } catch (thrown) {
      open.abort();
      await asked.catch(() => undefined);
      throw thrown;
    } finally {
      close = () => undefined;
    }
  };
  const find = async (halt: Halt, response: Response): Promise<Answer | null> =>
    takeGiven(left, halt) ?? (isDue(halt, now()) ? { verb: 'retry' } : null) ?? (await question(halt, response));
  const answer = async ({ halt_id, block }: Halt, with_: Answer): Promise<boolean> => {
    own.add(halt_id);
    const outcome = await run.answer(halt_id, with_);
    if (!outcome.accepted) refused({ halt: { block }, verb: with_.verb, ...outcome });
    return outcome.accepted;
  };
  /** Returns whether the run may have moved since the Response. */
  const answerAll = async (response: Response): Promise<boolean> => {
    let some = false;
    for (const halt of run.halts()) {
      const found = await find(halt, response);
      if (isOutOfDate()) return true;
      if (found !== null && (await answer(halt, found))) some = true;
    }
    return some;
  };

  const stop = run.subscribe(listen);
  try {
    for (;;) {
      // A run in this process must settle before its engine is closed.
      const response = await (run.waitsForHalt === true ? Promise.race([run.settled(), named.failed]) : run.settled());
      const wasAnswered = await named.settle();
      if (response.reason !== 'halted') {
        named.rest();
        return response;
      }
      // The run ended while a question was displayed, so its Response is about to arrive.
      if (isOver) await setImmediate();
      else if (wasAnswered || isOutOfDate() || (await answerAll(response))) continue;
      else {
        named.rest();
        return response;
      }
    }
  } finally {
    stop();
  }
}
