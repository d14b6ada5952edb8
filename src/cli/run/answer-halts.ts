import { allowedAnswers } from '#engine/index.ts';
import type { Run } from '#protocol/run.ts';
import type { Answer, Halt, Response } from '#protocol/response.ts';
import type { GivenAnswer } from './parse-answers.ts';

/** Who answers a halt that nobody answered beforehand; null leaves it waiting. */
export type AskPerson = (halt: Halt, allowed: readonly Answer['verb'][], response: Response) => Promise<Answer | null>;

export interface Refused {
  readonly halt: Halt;
  readonly verb: Answer['verb'];
  readonly allowed: readonly Answer['verb'][];
}

/** Goes on while there are answers: first those given with `--answer`, then a person's. */
export async function answerHalts(
  run: Run,
  given: readonly GivenAnswer[],
  ask: AskPerson | null,
  refused: (refusal: Refused) => void,
): Promise<Response> {
  const waiting = [...given];
  let response = await run.settled();
  while (response.reason === 'halted') {
    let answered = false;
    for (const halt of run.halts()) {
      const at = waiting.findIndex(({ block }) => block === halt.block);
      const answer =
        at === -1
          ? ((await ask?.(halt, allowedAnswers(halt.why), response)) ?? null)
          : (waiting.splice(at, 1)[0]?.answer ?? null);
      if (answer === null) continue;
      const outcome = run.answer(halt.halt_id, answer);
      if (outcome.accepted) answered = true;
      else refused({ halt, verb: answer.verb, allowed: outcome.allowed });
    }
    if (!answered) return response;
    response = await run.settled();
  }
  return response;
}
