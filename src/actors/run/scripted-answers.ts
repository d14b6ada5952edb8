import type { BlockId } from '#protocol/id.ts';
import type { Answer } from '#protocol/response.ts';
import type { ScriptedAnswer } from '#protocol/script.ts';

/** The answers of a run's script to halts. Each is used once, in the order of the script. */
export interface ScriptedAnswers {
  isEmpty(): boolean;
  /** Takes the next answer for a block; null if there is none. */
  take(block: BlockId): Answer | null;
  /**
   * Consumes the scripted answer that was accepted, not a refused one before it. A person's answer consumes nothing.
   */
  forget(block: BlockId, taken: Answer): void;
}

const asAnswer = ({ answer, to, guidance }: ScriptedAnswer): Answer => {
  const withGuidance = guidance === undefined ? {} : { guidance };
  return answer === 'jump'
    ? { verb: 'jump', block: (to ?? '') as BlockId, ...withGuidance }
    : { verb: answer, ...withGuidance };
};

export function createScriptedAnswers(answers: readonly ScriptedAnswer[]): ScriptedAnswers {
  const left = [...answers];
  return {
    isEmpty: () => left.length === 0,
    take: (asked) => {
      const index = left.findIndex(({ block }) => block === asked);
      const [given] = index < 0 ? [] : left.splice(index, 1);
      return given === undefined ? null : asAnswer(given);
    },
    forget: (asked, taken) => {
      const said = JSON.stringify(taken);
      const index = left.findIndex((one) => one.block === asked && JSON.stringify(asAnswer(one)) === said);
      if (index >= 0) left.splice(index, 1);
    },
  };
}
