import type { JsonObject } from '#protocol/json.ts';
import { readProgram } from './read-program.ts';
import { outcomeSegment, type RunOutcome } from './run-outcome.ts';
import { Simulation } from './simulation.ts';
import type { InterpreterRequest } from './turn.ts';

const nothingRan = (reason: 'unknown_node'): RunOutcome => ({
  success: false,
  reason,
  details: {},
  path: [],
  payload: [],
  exports: {},
  steps: 0,
  depth: 0,
  lastNode: null,
  lastBlock: null,
});

/**
 * Runs a valid, uncompiled manifest with a script. The implementation follows the specification directly. `start` is a
 * node or a block.
 */
export const interpret = (
  manifest: JsonObject,
  start: string,
  script: JsonObject,
  request: InterpreterRequest = {},
): RunOutcome => {
  const program = readProgram(manifest);
  const block = start.includes('__') ? start : program.nodes.get(start)?.entry;
  const node = program.blocks.get(block ?? '')?.node;
  if (block === undefined || node === undefined) return nothingRan('unknown_node');
  const simulation = new Simulation(program, script, request, node);
  const { reason, details } = simulation.run(block);
  return {
    success: reason === null,
    reason,
    details,
    path: simulation.path,
    payload: simulation.root.payload.map(outcomeSegment),
    exports: Object.fromEntries(simulation.root.exports),
    steps: simulation.steps,
    depth: simulation.deepest,
    lastNode: simulation.path.at(-1)?.node ?? null,
    lastBlock: simulation.path.at(-1)?.block ?? null,
  };
};
