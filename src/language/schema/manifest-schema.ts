/** The subset of JSON Schema that the manifest's schema uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  /** Common values, where others are allowed too. */
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly definitions?: Readonly<Record<string, Schema>>;
}

/** Resolves the `$ref` of a schema. Keywords beside the `$ref` override those of its target. */
export function resolved(schema: Schema, root: Schema): Schema {
  const { $ref, ...own } = schema;
  const target = $ref === undefined ? undefined : root.definitions?.[$ref.replace('#/definitions/', '')];
  return target === undefined ? schema : { ...resolved(target, root), ...own };
}
