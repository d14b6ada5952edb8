import { closedHaltText, runDetails } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { HaltId } from '#protocol/id.ts';
import { type AnswerOutcome, refusedAnswerText } from '#protocol/run.ts';
import { resumeCommands } from '../names/resume-commands.ts';
import type { StoredRunCommands } from '../names/stored-run-commands.ts';
import { usageError } from '../terminal/usage-error.ts';

/**
 * Returns the function that makes the error for an answer that a run did not take. The error says what has happened to
 * the halt, and which commands answer the open ones.
 */
export const answerNotTaken =
  (root: string, graph: Graph, kept: StoredRunCommands) =>
  (halt: HaltId, refusal: Extract<AnswerOutcome, { readonly accepted: false }> | null): Error => {
    const details = runDetails(root, kept.run);
    const open = details?.listing.summary.halts ?? [];
    const next = [...open.flatMap((one) => resumeCommands(kept, one, graph)), kept.command('runs show')];
    if (refusal !== null && refusal.why !== 'unknown_halt')
      return usageError(`${halt}: ${refusedAnswerText(refusal)}`, next);
    if (open.some(({ halt_id }) => halt_id === halt))
      return usageError(`${kept.run} stopped before it took the answer to ${halt}, which still waits.`, next);
    const summary = details?.listing.summary ?? { run: kept.run, halts: [], status: 'interrupted' };
    return usageError(closedHaltText(halt, { closed: [], path: [], ...details, summary }), next);
  };
