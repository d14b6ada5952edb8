import type { SchemaObject } from 'ajv';
import type { compile } from 'json-schema-to-typescript';

/** A JSON Schema in a type that both generators (types and validators) accept. */
export type Schema = Parameters<typeof compile>[0] & SchemaObject;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses the text of a schema file. Throws if it is not a JSON object. */
export function parseSchema(text: string): Schema {
  const value: unknown = JSON.parse(text);
  if (!isSchema(value)) throw new Error('scripts/generate: a schema file must hold an object');
  return value;
}
