import { inputProblem } from '#engine/authoring.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Inputs } from '#protocol/inputs.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import { readInput } from './read-input.ts';

const PAIR = /^([A-Za-z0-9_-]+)=(.*)$/s;

/**
 * Returns the names and values of `name=value` texts, with the content of `@file` values; null if one of the texts has
 * another form.
 */
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

/** The names of an input that a workflow declares for an issue or a pull request. */
const FOR_MATERIAL = ['issue', 'pull_request'];

/**
 * Returns the name of the declared input that gets the text of an issue: one of `FOR_MATERIAL`, or else the only input
 * without a value.
 */
function inputFor(inputs: Inputs, given: object): string {
  const free = Object.keys(inputs).filter(
    (name) => !Object.hasOwn(given, name) && inputs[name]?.type === 'string' && inputs[name].values === null,
  );
  const required = free.filter((name) => inputs[name]?.fallback === null);
  const fitting = required.length > 0 ? required : free;
  const named = free.find((name) => FOR_MATERIAL.includes(name)) ?? (fitting.length === 1 ? fitting[0] : undefined);
  if (named !== undefined) return named;
  throw usageError(
    'The manifest declares inputs, and none of them can take the text. Declare a string input named "issue", or give all others with --input.',
    ['robosmith manifest show'],
  );
}

const together = (own: string | null, material: string | undefined): string | null =>
  own === null || material === undefined ? (own ?? material ?? null) : `${own}\n\n${material}`;

/**
 * Reads `--input`. If the manifest declares inputs, their values are checked and returned as a JSON object; otherwise
 * the input is one text, or the content of `@file`. `material` is the text of an issue, which is appended to the text
 * or becomes an input.
 */
export async function readRunInput(
  texts: readonly string[] | undefined,
  graph: Graph,
  io: CliIo,
  project?: string,
  material?: string,
): Promise<string | null> {
  const [first, ...others] = texts ?? [];
  const { inputs } = graph;
  const read = (text: string): Promise<string | null> => readInput(text, io, project);
  if (inputs === undefined) {
    if (others.length === 0) return together(await readInput(first, io, project), material);
    throw usageError('--input is given several times, but the manifest declares no inputs.', ['robosmith run --help']);
  }
  const pairs = texts === undefined ? {} : await readPairs(texts, inputs, read);
  if (pairs === null && others.length > 0)
    throw usageError(`Each --input must be name=value. The inputs are ${Object.keys(inputs).join(', ')}.`, [
      'robosmith run --help',
    ]);
  const values = pairs === null || material === undefined ? pairs : { ...pairs, [inputFor(inputs, pairs)]: material };
  const input = values === null ? together(await readInput(first, io, project), material) : JSON.stringify(values);
  const problem = inputProblem(graph, input ?? undefined);
  if (problem !== null) throw usageError(problem.message, ['robosmith manifest show']);
  return input;
}
