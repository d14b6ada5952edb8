import type { Graph } from '#protocol/graph.ts';
import { readInputs } from '#protocol/inputs.ts';
import type { JsonObject } from '#protocol/json.ts';

/** Returns why a run can't start with this input, or null if it can. */
export function inputProblem({ inputs }: Graph, input: string | undefined): (JsonObject & { message: string }) | null {
  if (inputs === undefined) return null;
  const read = readInputs(inputs, input ?? null);
  if (read.ok) return null;
  const [first = ''] = read.problems;
  const more = read.problems.length - 1;
  return {
    message: `${first}${more === 0 ? '' : ` ${more} more ${more === 1 ? 'problem' : 'problems'}.`} Nothing was run.`,
    problems: read.problems,
    inputs: Object.keys(inputs),
  };
}
