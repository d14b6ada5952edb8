import { readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '#protocol/json.ts';

type Schema = Readonly<Record<string, JsonValue>>;

const ROOT = JSON.parse(
  readFileSync(new URL('../../schemas/workflow.schema.json', import.meta.url), 'utf8'),
) as JsonObject;

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schemaIn = (value: JsonValue | undefined): Schema | null => (isObject(value) ? value : null);

interface Named {
  readonly name: string;
  readonly schema: Schema;
}

const REF = /^#\/definitions\/(.+)$/;

/** Resolves references in the schema. The name of the last definition becomes the first part of a key's name. */
function resolved({ name, schema }: Named): Named {
  const target = REF.exec(typeof schema['$ref'] === 'string' ? schema['$ref'] : '')?.[1];
  const found = target === undefined ? null : schemaIn(schemaIn(ROOT['definitions'])?.[target]);
  return target === undefined || found === null ? { name, schema } : resolved({ name: target, schema: found });
}

const schemasIn = (list: JsonValue | undefined): readonly Schema[] =>
  Array.isArray(list) ? list.filter((one: JsonValue): one is JsonObject => isObject(one)) : [];

/** Returns the names of all keys of the schema, for example `worktree.base`. */
export function schemaKeys(): readonly string[] {
  const keys = new Set<string>();
  const seen = new Set<string>();
  const visit = (given: Named): void => {
    const { name, schema } = resolved(given);
    const properties = schemaIn(schema['properties']) ?? {};
    if (given.schema !== schema && seen.has(name)) return;
    if (given.schema !== schema) seen.add(name);
    for (const [key, value] of Object.entries(properties)) {
      keys.add(`${name}.${key}`);
      visit({ name: `${name}.${key}`, schema: schemaIn(value) ?? {} });
    }
    for (const part of ['items', 'additionalProperties']) {
      const below = schemaIn(schema[part]);
      if (below !== null) visit({ name: `${name}[]`, schema: below });
    }
    for (const one of schemasIn(schema['oneOf'])) visit({ name, schema: one });
  };
  visit({ name: 'manifest', schema: ROOT });
  return [...keys];
}

/** A place in a manifest that has a key of the schema. */
export interface KeyPlace {
  readonly key: string;
  readonly path: readonly (string | number)[];
}

/** Returns the alternative of the schema that the value's discriminator selects, or null. */
function chosen(schema: Schema, value: JsonValue): Named | null {
  const by = schemaIn(schema['discriminator'])?.['propertyName'];
  if (typeof by !== 'string' || !isObject(value)) return null;
  for (const one of schemasIn(schema['oneOf'])) {
    const named = resolved({ name: '', schema: one });
    const property = schemaIn(schemaIn(named.schema['properties'])?.[by]);
    const allowed = Array.isArray(property?.['enum']) ? property['enum'] : [property?.['const']];
    if (allowed.includes(value[by])) return named;
  }
  return null;
}

/** Returns all places in a manifest that have a key of the schema. */
export function placesIn(manifest: JsonValue): readonly KeyPlace[] {
  const places: KeyPlace[] = [];
  const visit = (given: Named, value: JsonValue, path: KeyPlace['path']): void => {
    const named = resolved(given);
    const { name, schema } = chosen(named.schema, value) ?? named;
    if (Array.isArray(value)) {
      const items = schemaIn(schema['items']);
      if (items !== null)
        for (const [index, one] of (value as readonly JsonValue[]).entries())
          visit({ name: `${name}[]`, schema: items }, one, [...path, index]);
      return;
    }
    if (!isObject(value)) return;
    const properties = schemaIn(schema['properties']) ?? {};
    const others = schemaIn(schema['additionalProperties']);
    for (const [key, one] of Object.entries(value)) {
      const own = schemaIn(properties[key]);
      if (own !== null) places.push({ key: `${name}.${key}`, path: [...path, key] });
      const below = own === null ? others : own;
      if (below !== null)
        visit({ name: own === null ? `${name}[]` : `${name}.${key}`, schema: below }, one, [...path, key]);
    }
  };
  visit({ name: 'manifest', schema: ROOT }, manifest, []);
  return places;
}

/** Returns the manifest without the key at a place. */
export function without(manifest: JsonObject, path: KeyPlace['path']): JsonObject {
  const copy = structuredClone(manifest) as Record<string, unknown>;
  let at: Record<string | number, unknown> = copy;
  for (const part of path.slice(0, -1)) at = at[part] as Record<string | number, unknown>;
  Reflect.deleteProperty(at, path.at(-1) ?? '');
  return copy as JsonObject;
}
