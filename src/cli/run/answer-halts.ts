import { setImmediate } from 'node:timers/promises';
import { allowedAnswers } from '#engine/index.ts';
import type { AskPerson, GivenAnswer, RefusedAnswer } from '../names/person.ts';
import type { AnswerOutcome, Run } from '#protocol/run.ts';
import type { Answer, Halt, Response } from '#protocol/response.ts';

/** A run in this process or in the engine host. */
export interface AnsweredRun extends Pick<Run, 'settled' | 'halts' | 'subscribe'> {
  answer(...given: Parameters<Run['answer']>): AnswerOutcome | Promise<AnswerOutcome>;
}

interface AnswerParts {
  readonly given: readonly GivenAnswer[];
  readonly ask: AskPerson | null;
  readonly refused: (refusal: RefusedAnswer) => void;
  readonly now: () => number;
}

/** Removes and returns the answer given for this halt. */
function takeGiven(left: GivenAnswer[], halt: Pick<Halt, 'halt_id' | 'block'>, byBlock: boolean): Answer | null {
  const at = left.findIndex(({ to }) => ('halt' in to ? to.halt === halt.halt_id : byBlock && to.block === halt.block));
  return at === -1 ? null : (left.splice(at, 1)[0]?.answer ?? null);
}

const isDue = ({ until }: Halt, now: number): boolean => until !== null && until <= now;

/** Answers halts as long as there are answers: from the command line, from schedules, then from a person. */
export async function answerHalts(run: AnsweredRun, { given, ask, refused, now }: AnswerParts): Promise<Response> {
  const left = [...given];
  const over = new AbortController();
  /** Answers that are being sent to a host, which may meanwhile report that the run waits. */
  const early = new Set<Promise<void>>();
  /** True if an answer was accepted since the last report, so that the reported halts are out of date. */
  let isOutOfDate = false;

  const answer = async (halt: Pick<Halt, 'halt_id' | 'block'>, with_: Answer): Promise<boolean> => {
    const outcome = await run.answer(halt.halt_id, with_);
    if (!outcome.accepted) refused({ halt, verb: with_.verb, ...outcome });
    return outcome.accepted;
  };
  const find = async (halt: Halt, response: Response): Promise<Answer | null> =>
    takeGiven(left, halt, true) ??
    (isDue(halt, now()) ? { verb: 'retry' } : null) ??
    (await ask?.(halt, allowedAnswers(halt), response, over.signal)) ??
    null;
  const answerAll = async (response: Response): Promise<boolean> => {
    let some = false;
    for (const halt of run.halts()) {
      const found = await find(halt, response);
      if (over.signal.aborted) return true;
      if (found !== null && (await answer(halt, found))) some = true;
    }
    return some;
  };

  const stop = run.subscribe((event) => {
    if (event.type === 'run.finished') over.abort();
    // An answer for this specific halt is used at once, without waiting until all branches have stopped.
    if (event.type === 'block.halted')
      void setImmediate().then(async () => {
        const found = takeGiven(left, event, false);
        if (found === null) return;
        // A lost connection to the host is handled by the code that awaits the run.
        const answering = answer(event, found).then(
          (accepted) => void (isOutOfDate ||= accepted),
          () => undefined,
        );
        early.add(answering);
        await answering;
        early.delete(answering);
      });
  });
  const wasAnsweredEarly = async (): Promise<boolean> => {
    await Promise.all(early);
    const was = isOutOfDate;
    isOutOfDate = false;
    return was;
  };
  try {
    for (;;) {
      const response = await run.settled();
      if (response.reason !== 'halted') return response;
      // The run ended while a question was displayed, so its Response is about to arrive.
      if (over.signal.aborted) await setImmediate();
      else if (await wasAnsweredEarly()) continue;
      else if (!(await answerAll(response))) return response;
    }
  } finally {
    stop();
  }
}
