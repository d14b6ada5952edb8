import { allowedAnswers } from '#actors/run/index.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Answer, Halt } from '#protocol/response.ts';

/** Returns the answers to offer. `retry` is omitted beside `proceed`, which means the same. */
export function offeredVerbs(why: Halt['why']): readonly Answer['verb'][] {
  const verbs = allowedAnswers(why);
  return verbs.filter((verb) => verb !== 'retry' || !verbs.includes('proceed'));
}

/**
 * Returns one command per answer to a halt. `resume` makes a command of flags; `alone`: the run has no other open halt;
 * `jumpTo` is null if no jump can be suggested.
 */
export function answerCommands(
  resume: (...flags: readonly string[]) => string,
  { halt_id, why }: Pick<Halt, 'halt_id' | 'why'>,
  alone: boolean,
  jumpTo: BlockId | null,
): readonly string[] {
  const which = alone ? [] : ['--halt', halt_id];
  return offeredVerbs(why).flatMap((verb) => {
    if (verb !== 'jump') return [resume(...which, `--${verb}`)];
    return jumpTo === null ? [] : [resume(...which, '--jump', jumpTo)];
  });
}
