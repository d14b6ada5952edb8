import { inputProblem } from '#engine/authoring.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Inputs } from '#protocol/inputs.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import { readInput } from './read-input.ts';

const PAIR = /^([A-Za-z0-9_-]+)=(.*)$/s;

/** Returns each `name=value` with its value read, or null if one of the texts is no such pair. */
async function readPairs(
  texts: readonly string[],
  inputs: Inputs,
  read: (text: string) => Promise<string | null>,
): Promise<Readonly<Record<string, string>> | null> {
  const values: Record<string, string> = {};
  for (const text of texts) {
    const [, name, value] = PAIR.exec(text) ?? [];
    if (name === undefined || value === undefined) return null;
    if (texts.length === 1 && !Object.hasOwn(inputs, name) && Object.keys(inputs).length === 1) return null;
    if (Object.hasOwn(values, name)) throw usageError(`The input "${name}" is given twice.`, ['robosmith run --help']);
    values[name] = (await read(value)) ?? '';
  }
  return values;
}

/**
 * Reads `--input`. If the manifest declares inputs, the values are checked and returned as a JSON object; otherwise the
 * option is one text, or `@file`.
 */
export async function readRunInput(
  texts: readonly string[] | undefined,
  graph: Graph,
  io: CliIo,
  project?: string,
): Promise<string | null> {
  const [first, ...others] = texts ?? [];
  const { inputs } = graph;
  const read = (text: string): Promise<string | null> => readInput(text, io, project);
  if (inputs === undefined) {
    if (others.length === 0) return readInput(first, io, project);
    throw usageError('--input is given several times, but the manifest declares no inputs.', ['robosmith run --help']);
  }
  const pairs = texts === undefined ? {} : await readPairs(texts, inputs, read);
  if (pairs === null && others.length > 0)
    throw usageError(`Each --input must be name=value. The inputs are ${Object.keys(inputs).join(', ')}.`, [
      'robosmith run --help',
    ]);
  const input = pairs === null ? await readInput(first, io, project) : JSON.stringify(pairs);
  const problem = inputProblem(graph, input ?? undefined);
  if (problem !== null) throw usageError(problem.message, ['robosmith manifest show']);
  return input;
}
