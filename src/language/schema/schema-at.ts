import type { Node } from 'jsonc-parser';
import { memberOf } from '../text/json-node.ts';
import { resolved, type Schema } from './manifest-schema.ts';

/** Returns the values of the discriminator property that select one alternative of a `oneOf`. */
const tagsOf = ({ properties }: Schema, name: string): readonly unknown[] => {
  const tag = properties?.[name];
  return tag?.enum ?? (tag?.const === undefined ? [] : [tag.const]);
};

/** Returns the `oneOf` alternatives that match the discriminator in the text; all of them if it is not written yet. */
function alternatives(schema: Schema, node: Node | undefined, root: Schema): readonly Schema[] {
  const { oneOf, discriminator } = schema;
  if (oneOf === undefined) return [schema];
  const all = oneOf.map((one) => resolved(one, root));
  if (discriminator === undefined) return all;
  const written: unknown = memberOf(node, discriminator.propertyName)?.value;
  const fitting = all.filter((one) => tagsOf(one, discriminator.propertyName).includes(written));
  return fitting.length === 0 ? all : fitting;
}

function stepInto(schema: Schema, step: string | number): Schema | null {
  if (typeof step === 'number') return schema.items ?? null;
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, step)) return properties[step] ?? null;
  return typeof additionalProperties === 'object' ? additionalProperties : null;
}

/**
 * Returns the schemas that apply to the value at a JSON path: more than one if the text does not determine the
 * alternative.
 */
export function schemasAt(root: Schema, tree: Node | undefined, path: readonly (string | number)[]): readonly Schema[] {
  let schemas = alternatives(root, tree, root);
  let node = tree;
  for (const step of path) {
    node = typeof step === 'number' ? node?.children?.[step] : memberOf(node, step);
    const inner = node;
    schemas = schemas
      .flatMap((schema) => stepInto(schema, step) ?? [])
      .flatMap((schema) => alternatives(resolved(schema, root), inner, root));
  }
  return schemas;
}
