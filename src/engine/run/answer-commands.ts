import { allowedAnswers } from '#actors/run/index.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Answer, Halt } from '#protocol/response.ts';

/** Returns the answers to offer. `retry` is omitted beside `proceed`, which means the same. */
export function offeredVerbs(halt: Pick<Halt, 'why' | 'rejections_left'>): readonly Answer['verb'][] {
  const verbs = allowedAnswers(halt);
  return verbs.filter((verb) => verb !== 'retry' || !verbs.includes('proceed'));
}

/** The placeholder for the reason in suggested commands. */
export const REASON = 'what to change';

/**
 * Returns one command per answer to a halt. `resume` builds a command from flags. `alone`: the run has no other open
 * halt; `jumpTo` is null if no jump can be suggested.
 */
export function answerCommands(
  resume: (...flags: readonly string[]) => string,
  halt: Pick<Halt, 'halt_id' | 'why' | 'rejections_left'>,
  alone: boolean,
  jumpTo: BlockId | null,
): readonly string[] {
  const which = alone ? [] : ['--halt', halt.halt_id];
  return offeredVerbs(halt).flatMap((verb) => {
    // A limit is a part of the manifest: with the manifest that the run began with, it would halt again.
    if (verb === 'retry' && halt.why === 'budget') return [resume(...which, '--manifest', 'new', '--retry')];
    if (verb === 'reject') return [resume(...which, '--reject', REASON)];
    if (verb !== 'jump') return [resume(...which, `--${verb}`)];
    return jumpTo === null ? [] : [resume(...which, '--jump', jumpTo)];
  });
}
