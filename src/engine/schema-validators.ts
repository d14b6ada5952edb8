import { Ajv } from 'ajv';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Graph } from '#protocol/graph.ts';

/** Says what is wrong with a value, path by path; empty when it fits. */
type Validate = (value: JsonValue) => readonly string[];

const broken = (thrown: unknown): Validate => {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return () => [`validation.schema itself is not valid: ${message}`];
};

function compileSchema(schema: JsonObject | boolean): Validate {
  try {
    const validate = new Ajv({ allErrors: true, strict: false, logger: false }).compile(schema);
    return (value) =>
      validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath === '' ? '/' : instancePath} ${message ?? 'is not valid'}`);
  } catch (thrown) {
    return broken(thrown);
  }
}

/** A validator for each block that has `validation.schema`, compiled at first use. */
export function createSchemaValidators(graph: Graph): (block: string) => Validate | null {
  const schemas = new Map(graph.nodes.flatMap(({ blocks }) => blocks.map((block) => [block.id as string, block.validation?.schema ?? null] as const)));
  const made = new Map<string, Validate>();
  return (block) => {
    const schema = schemas.get(block) ?? null;
    if (schema === null) return null;
    const known = made.get(block) ?? compileSchema(schema);
    made.set(block, known);
    return known;
  };
}
