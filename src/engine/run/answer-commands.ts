import { offeredAnswers } from '#actors/run/index.ts';
import type { BlockId } from '#protocol/id.ts';
import type { Halt } from '#protocol/response.ts';

/** The placeholder for the reason in suggested commands. */
export const REASON = 'what to change';

/**
 * Returns one command per answer to a halt. Each names the halt, so that it can't answer a later one. `resume` builds a
 * command from flags; `jumpTo` is null if no jump can be suggested.
 */
export function answerCommands(
  resume: (...flags: readonly string[]) => string,
  halt: Pick<Halt, 'halt_id' | 'why' | 'rejections_left'>,
  jumpTo: BlockId | null,
): readonly string[] {
  const which = ['--halt', halt.halt_id];
  return offeredAnswers(halt).flatMap((verb) => {
    // A limit is a part of the manifest: with the manifest that the run began with, it would halt again.
    if (verb === 'retry' && halt.why === 'budget') return [resume(...which, '--manifest', 'new', '--retry')];
    if (verb === 'reject') return [resume(...which, '--reject', REASON)];
    if (verb !== 'jump') return [resume(...which, `--${verb}`)];
    return jumpTo === null ? [] : [resume(...which, '--jump', jumpTo)];
  });
}
