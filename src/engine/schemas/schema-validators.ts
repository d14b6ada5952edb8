import { messageOf } from '#protocol/message-of.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Graph } from '#protocol/graph.ts';
import { compileSchema, type Schema } from './json-schema.ts';

/** Says what is wrong with a value, path by path; empty when it fits. */
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

/** Validators by schema object, for every run of its graph. */
const compiled = new WeakMap<object, Validate>();

/** A validator of this schema; one that is none says so of every value. */
export function validatorOf(schema: Schema): Validate {
  if (typeof schema === 'boolean') return createValidate(schema);
  const known = compiled.get(schema) ?? createValidate(schema);
  compiled.set(schema, known);
  return known;
}

/** A validator for each block that has `validation.schema`, compiled at first use. */
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
