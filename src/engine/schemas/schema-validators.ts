import { createContext, Script } from 'node:vm';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { messageOf } from '#protocol/message-of.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Graph } from '#protocol/graph.ts';
import { compileSchema, type Schema } from './json-schema.ts';

const CALL = new Script('work()');

/**
 * Returns whether an error is the timeout of a script. The error comes from another VM context, so it is not an
 * instance of this context's `Error`.
 */
const isOfTime = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Calls `work`, and returns false if it was stopped after `timeout` milliseconds. Errors of `work` are rethrown. */
function withinTime(timeout: number, work: () => void): boolean {
  try {
    CALL.runInContext(createContext({ work }), { timeout });
    return true;
  } catch (thrown) {
    if (isOfTime(thrown)) return false;
    throw thrown;
  }
}

/** Returns what is wrong with a value, one message per path; empty if it is valid. */
type Validate = (value: JsonValue) => readonly string[];

const broken = (thrown: unknown): Validate => {
  const message = messageOf(thrown);
  return () => [`the schema itself is not valid: ${message}`];
};

/**
 * The time limit of a check in milliseconds, since the engine has one thread. A normal check takes a few milliseconds.
 * Nested references and alternatives can double the work with each level, and `uniqueItems` compares each item with all
 * others.
 */
const MOST_MS = 1_000;

/** The maximum number of reported problems. More would not help a model to repair its answer. */
const MOST_PROBLEMS = 1_000;

function problemsOf(validate: ValidateFunction, value: JsonValue): readonly string[] {
  const describe = ({ instancePath, message }: ErrorObject): string =>
    `${instancePath === '' ? '/' : instancePath} ${message ?? 'is not valid'}`;
  try {
    const isInTime = withinTime(MOST_MS, () => void validate(value));
    if (isInTime) return (validate.errors ?? []).slice(0, MOST_PROBLEMS).map(describe);
    return [`/ can't be validated within ${MOST_MS} ms`];
  } catch (thrown) {
    return [`/ can't be validated: ${messageOf(thrown)}`];
  }
}

function createValidate(schema: Schema): Validate {
  try {
    const validate = compileSchema(schema);
    return (value) => problemsOf(validate, value);
  } catch (thrown) {
    return broken(thrown);
  }
}

/** Compiled validators by schema object, shared by all runs of a graph. */
const compiled = new WeakMap<object, Validate>();

/** Returns a validator for a schema; an invalid schema rejects every value. */
export function validatorOf(schema: Schema): Validate {
  if (typeof schema === 'boolean') return createValidate(schema);
  const known = compiled.get(schema) ?? createValidate(schema);
  compiled.set(schema, known);
  return known;
}

/** Returns validators for the blocks with `validation.schema` or `answer.schema`, compiled on first use. */
export function schemaValidators(graph: Graph): (block: string) => Validate | null {
  const schemas = new Map(
    graph.nodes.flatMap(({ blocks }) =>
      blocks.map((block) => [block.id as string, block.validation?.schema ?? block.answer?.schema ?? null] as const),
    ),
  );
  return (block) => {
    const schema = schemas.get(block) ?? null;
    return schema === null ? null : validatorOf(schema);
  };
}
