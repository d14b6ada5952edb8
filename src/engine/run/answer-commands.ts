import { allowedAnswers } from '#actors/run/index.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Answer, Halt } from '#protocol/response.ts';

/** What a person may choose from. `retry` beside `proceed` means the same. */
export function offeredVerbs(why: Halt['why']): readonly Answer['verb'][] {
  const verbs = allowedAnswers(why);
  return verbs.filter((verb) => verb !== 'retry' || !verbs.includes('proceed'));
}

/**
 * The commands that answer a halt, one for each verb. `resume` makes one of its flags; `alone`: nothing else of the run waits;
 * `jumpTo` null: none that would have to name a block.
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
