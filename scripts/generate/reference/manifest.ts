import type { GeneratedFile } from '../generated-file.ts';
import { generatedPage, table } from './markdown.ts';

const SOURCE = 'schemas/workflow.schema.json';

/** The keywords of JSON Schema that this project's schemas use. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly definitions?: Readonly<Record<string, Schema>>;
}

const linkOf = (name: string): string => `[${name}](#${name.toLowerCase()})`;

/** Describes the type of a value that a schema allows, in words. */
function kindOf(schema: Schema): string {
  if (schema.$ref !== undefined) return linkOf(schema.$ref.split('/').at(-1) ?? '');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${JSON.stringify(one)}\``).join(', ');
  const several = schema.oneOf ?? schema.anyOf;
  if (several !== undefined) return [...new Set(several.map(kindOf))].join(' or ');
  if (schema.type === 'array') return typeof schema.items === 'object' ? `list of ${kindOf(schema.items)}` : 'list';
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object')
    return `object of ${kindOf(schema.additionalProperties)}`;
  const range = [
    ...(schema.minimum === undefined ? [] : [`from ${schema.minimum}`]),
    ...(schema.maximum === undefined ? [] : [`to ${schema.maximum}`]),
  ].join(' ');
  return [typeof schema.type === 'object' ? schema.type.join(' or ') : (schema.type ?? 'any'), range].join(' ').trim();
}

function keys(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([key, one]) => [
    `\`${key}\``,
    kindOf(one),
    schema.required?.includes(key) === true ? 'yes' : '',
    [one.description ?? '', one.default === undefined ? '' : `Default: \`${JSON.stringify(one.default)}\`.`]
      .filter(Boolean)
      .join(' '),
  ]);
  return rows.length === 0 ? '' : table(['key', 'value', 'required', 'meaning'], rows);
}

function section(name: string, schema: Schema): string {
  const several = (schema.oneOf ?? schema.anyOf ?? []).map((one, index) =>
    one.properties === undefined
      ? `Form ${index + 1}: ${kindOf(one)}. ${one.description ?? ''}`
      : `Form ${index + 1}. ${one.description ?? ''}\n\n${keys(one)}`,
  );
  const kind = schema.properties === undefined && several.length === 0 ? `Value: ${kindOf(schema)}.` : '';
  return [`### ${name}`, schema.description ?? '', kind, keys(schema), ...several].filter(Boolean).join('\n\n');
}

/** Generates the reference of the manifest's keys from its JSON Schema. */
export async function manifestReference(text: string): Promise<GeneratedFile> {
  const schema = JSON.parse(text) as Schema;
  const body = [
    '# Keys of the manifest',
    schema.description ?? '',
    'What blocks do at run time, and the grammar of actions and conditions, is in [engine.md](engine.md).',
    '## Top level',
    keys(schema),
    '## Parts',
    ...Object.entries(schema.definitions ?? {}).map(([name, one]) => section(name, one)),
  ]
    .filter(Boolean)
    .join('\n\n');
  return generatedPage('docs/reference/manifest.md', SOURCE, body);
}
