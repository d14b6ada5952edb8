import type { JsonObject, JsonValue } from '../../src/protocol/json.ts';

/** The subset of JSON Schema that `schemas/view.schema.json` uses. */
export type ViewSchema =
  | { readonly kind: 'ref'; readonly name: string }
  | { readonly kind: 'object'; readonly fields: readonly ViewField[] }
  | { readonly kind: 'array'; readonly items: ViewSchema }
  | { readonly kind: 'tuple'; readonly items: readonly ViewSchema[] }
  | { readonly kind: 'union'; readonly members: readonly ViewSchema[] }
  | { readonly kind: 'enum'; readonly values: readonly (string | number | boolean | null)[] }
  | { readonly kind: 'string' | 'boolean' | 'null' }
  | {
      readonly kind: 'number' | 'integer';
      readonly minimum: number | null;
      readonly maximum: number | null;
    };

interface ViewField {
  readonly name: string;
  readonly description: string | null;
  readonly schema: ViewSchema;
}

export interface ViewDefinition {
  readonly name: string;
  readonly description: string | null;
  readonly schema: ViewSchema;
}

const REFERENCE = /^#\/definitions\/(\w+)$/;

const fail = (what: string): never => {
  throw new Error(`schemas/view.schema.json: ${what}`);
};

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asObject = (value: JsonValue | undefined, what: string): JsonObject =>
  isJsonObject(value) ? value : fail(`${what} must be an object`);

const asArray = (value: JsonValue | undefined, what: string): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : fail(`${what} must be an array`);

const asText = (value: JsonValue | undefined): string | null => (typeof value === 'string' ? value : null);

const asNumber = (value: JsonValue | undefined): number | null => (typeof value === 'number' ? value : null);

function readEnum(values: readonly JsonValue[]): ViewSchema {
  const plain = values.filter((value) => value === null || ['string', 'number', 'boolean'].includes(typeof value));
  if (plain.length !== values.length) fail('an enum holds plain values only');
  return { kind: 'enum', values: plain as readonly (string | number | boolean | null)[] };
}

function readFields(schema: JsonObject): readonly ViewField[] {
  const properties = asObject(schema['properties'], '"properties"');
  const required = asArray(schema['required'], '"required"');
  const names = Object.keys(properties);
  if (schema['additionalProperties'] !== false || names.some((name) => !required.includes(name)))
    fail(`every object requires all of its properties and allows no others (${names.join(', ')})`);
  return names.map((name) => {
    const field = asObject(properties[name], `"${name}"`);
    return { name, description: asText(field['description']), schema: readSchema(field) };
  });
}

function readTyped(type: string, schema: JsonObject): ViewSchema {
  switch (type) {
    case 'object':
      return { kind: 'object', fields: readFields(schema) };
    case 'array': {
      const { items } = schema;
      if (Array.isArray(items))
        return { kind: 'tuple', items: asArray(items, '"items"').map((item) => readSchema(asObject(item, '"items"'))) };
      return { kind: 'array', items: readSchema(asObject(items, '"items"')) };
    }
    case 'number':
    case 'integer':
      return { kind: type, minimum: asNumber(schema['minimum']), maximum: asNumber(schema['maximum']) };
    case 'string':
    case 'boolean':
    case 'null':
      return { kind: type };
    default:
      return fail(`unknown type "${type}"`);
  }
}

function readSchema(schema: JsonObject): ViewSchema {
  const { $ref, oneOf, type } = schema;
  const name = REFERENCE.exec(asText($ref) ?? '')?.[1];
  if (name !== undefined) return { kind: 'ref', name };
  if (schema['const'] !== undefined) return readEnum([schema['const']]);
  if (schema['enum'] !== undefined) return readEnum(asArray(schema['enum'], '"enum"'));
  if (oneOf !== undefined)
    return { kind: 'union', members: asArray(oneOf, '"oneOf"').map((one) => readSchema(asObject(one, '"oneOf"'))) };
  if (Array.isArray(type))
    return { kind: 'union', members: asArray(type, '"type"').map((one) => readTyped(asText(one) ?? '', schema)) };
  return readTyped(asText(type) ?? '', schema);
}

/**
 * Parses the definitions of the view schema, in written order. Throws on a keyword that the generators don't support.
 */
export function readViewSchema(text: string): readonly ViewDefinition[] {
  const value: unknown = JSON.parse(text);
  const root = isJsonObject(value) ? value : fail('it must hold an object');
  const definitions = asObject(root['definitions'], '"definitions"');
  return Object.entries(definitions).map(([name, definition]) => {
    const schema = asObject(definition, `"${name}"`);
    return { name, description: asText(schema['description']), schema: readSchema(schema) };
  });
}
