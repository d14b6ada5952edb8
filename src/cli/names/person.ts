import type { BlockId, HaltId } from '#protocol/id.ts';
import type { AnswerRefusal } from '#protocol/run.ts';
import type { Answer, Halt, Response } from '#protocol/response.ts';

/** An answer given on the command line before its halt came. Each is used once, by the first halt that it fits. */
export interface GivenAnswer {
  /** One halt, or the first halt of a block. */
  readonly to: { readonly halt: HaltId } | { readonly block: BlockId };
  readonly answer: Answer;
}

/** Asks a person to answer a halt. Resolves to null if the halt is to be left waiting; `over` aborts when the run ends. */
export type AskPerson = (
  halt: Halt,
  offered: readonly Answer['verb'][],
  response: Response,
  over: AbortSignal,
) => Promise<Answer | null>;

/** An answer that a halt did not accept, with the verbs that it accepts. */
export interface RefusedAnswer {
  readonly halt: Pick<Halt, 'block'>;
  readonly verb: Answer['verb'];
  readonly allowed: readonly Answer['verb'][];
  readonly why: AnswerRefusal;
}
