import { messageOf } from '#protocol/message-of.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Graph } from '#protocol/graph.ts';
import { compileSchema, type Schema } from './json-schema.ts';

/** Returns what is wrong with a value, one message per path; empty if it is valid. */
type Validate = (value: JsonValue) => readonly string[];

const broken = (thrown: unknown): Validate => {
  const message = messageOf(thrown);
  return () => [`validation.schema itself is not valid: ${message}`];
};

function createValidate(schema: Schema): Validate {
  try {
    const validate = compileSchema(schema);
    return (value) =>
      validate(value)
        ? []
        : (validate.errors ?? []).map(
            ({ instancePath, message }) => `${instancePath === '' ? '/' : instancePath} ${message ?? 'is not valid'}`,
          );
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

/** Returns validators for the blocks with `validation.schema`, compiled on first use. */
export function schemaValidators(graph: Graph): (block: string) => Validate | null {
  const schemas = new Map(
    graph.nodes.flatMap(({ blocks }) =>
      blocks.map((block) => [block.id as string, block.validation?.schema ?? null] as const),
    ),
  );
  return (block) => {
    const schema = schemas.get(block) ?? null;
    return schema === null ? null : validatorOf(schema);
  };
}
