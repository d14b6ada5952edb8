import type { Node } from 'jsonc-parser';
import { resolved, type Schema } from '../schema/manifest-schema.ts';
import type { Offer } from './completion.ts';

/** A completion for an object key, with a placeholder for its value. */
export interface KeyOffer {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The initial value of an inserted key, as a snippet. */
  readonly value: string;
  /** True if the editor should offer completions for the value right after the key is inserted. */
  readonly continues: boolean;
}

const typeOf = ({ type }: Schema): string => (typeof type === 'string' ? type : (type?.[0] ?? ''));

function valueSnippet(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.oneOf !== undefined || typeOf(schema) === 'object') return '{$1}';
  const [first] = schema.enum ?? [];
  if (typeof first === 'boolean' || typeof first === 'number') return String(first);
  if (typeOf(schema) === 'array') return '[$1]';
  if (typeOf(schema) === 'integer' || typeOf(schema) === 'number')
    return `\${1:${typeof schema.default === 'number' ? schema.default : 1}}`;
  return '"$1"';
}

/** Returns the keys that the schemas allow and the object does not have yet, required keys first. */
export function offerKeys(schemas: readonly Schema[], root: Schema, present: ReadonlySet<string>): readonly KeyOffer[] {
  const offers = new Map<string, KeyOffer>();
  for (const { properties, required } of schemas)
    for (const [name, written] of Object.entries(properties ?? {})) {
      const schema = resolved(written, root);
      const isRequired = required?.includes(name) === true;
      if (present.has(name) || offers.has(name)) continue;
      const value = valueSnippet(schema);
      offers.set(name, {
        name,
        isRequired,
        value,
        description: schema.description ?? '',
        continues: value === '"$1"',
      });
    }
  const all = [...offers.values()];
  return [...all.filter((one) => one.isRequired), ...all.filter((one) => !one.isRequired)];
}

/** Returns completions for the `enum`, `const` and `examples` values of the schemas, as JSON text. */
export function offerEnum(schemas: readonly Schema[], root: Schema): readonly Offer[] {
  const values = schemas.flatMap(({ enum: listed, const: only, examples = [], ...schema }) =>
    (listed ?? (only === undefined ? examples : [only])).map((value) => ({ value, schema })),
  );
  const seen = new Set<string>();
  return values.flatMap(({ value, schema }): readonly Offer[] => {
    const text = JSON.stringify(value);
    if (seen.has(text)) return [];
    seen.add(text);
    const { description = '' } = resolved(schema, root);
    return [{ text, kind: 'value', detail: description }];
  });
}

/** Returns the keys of a JSON object; an empty set for any other value. */
export const keysOf = (node: Node | undefined): ReadonlySet<string> =>
  new Set(node?.type === 'object' ? (node.children ?? []).map(({ children }) => String(children?.[0]?.value)) : []);
