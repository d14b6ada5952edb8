import { exportWorkflow } from '#compiler/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { JsonObject } from '#protocol/json.ts';
import { ENDS_RUN } from '#protocol/response.ts';
import { interpret } from '../../reference/interpret.ts';
import type { RunOutcome, RunRequest } from '../../reference/run-outcome.ts';
import type { Turn } from '../../reference/turn.ts';
import { ChartPlayer, type Played } from './play-chart.ts';

export interface ScionRun {
  readonly outcome: RunOutcome;
  readonly turns: readonly Turn[];
  readonly played: Played;
  /** The result that the document must have, derived from the outcome of the naive interpreter. */
  readonly expected: Played;
}

function expectedEnd({ success, reason, details }: RunOutcome): Played {
  const halts = (details['halts'] ?? []) as readonly { readonly frame: string; readonly block: string }[];
  const failed = reason !== null && reason !== 'usage' && ENDS_RUN.has(reason) ? 'run.failed' : 'frame.failed';
  return {
    end: reason === 'halted' ? null : success ? 'frame.returned' : failed,
    waiting: reason === 'halted' ? halts.map(({ frame, block }) => `${frame} ${block}`).sort() : [],
    strays: [],
  };
}

/**
 * Runs a manifest in the naive interpreter and its SCXML document in SCION, with the same workers, answers of persons
 * and limits.
 */
export async function runInScion(
  manifest: JsonObject,
  workflow: CompiledWorkflow,
  start: string,
  script: JsonObject,
  request: RunRequest = {},
): Promise<ScionRun> {
  const turns: Turn[] = [];
  const outcome = interpret(manifest, start, script, { ...request, onTurn: (turn) => void turns.push(turn) });
  const player = await ChartPlayer.of(exportWorkflow(workflow, 'scxml'), workflow.graph, start);
  return { outcome, turns, played: player.play(turns), expected: expectedEnd(outcome) };
}
