import { generatedFile } from './generated-file.ts';
import type { GeneratedFile } from './generated-file.ts';
import { readViewSchema } from './view-schema.ts';
import type { ViewDefinition, ViewSchema } from './view-schema.ts';

const FROM = 'schemas/view.schema.json';

const comment = (description: string | null): string => (description === null ? '' : `/** ${description} */\n`);

const quoted = (values: readonly (string | number | boolean | null)[]): string =>
  values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ');

function typeOf(schema: ViewSchema): string {
  switch (schema.kind) {
    case 'ref':
      return schema.name;
    case 'object':
      return bodyOf(schema.fields);
    case 'array':
      return `readonly (${typeOf(schema.items)})[]`;
    case 'tuple':
      return `readonly [${schema.items.map(typeOf).join(', ')}]`;
    case 'union':
      return schema.members.map(typeOf).join(' | ');
    case 'enum':
      return quoted(schema.values);
    case 'integer':
      return 'number';
    default:
      return schema.kind;
  }
}

const bodyOf = (fields: Extract<ViewSchema, { kind: 'object' }>['fields']): string =>
  `{\n${fields.map(({ name, description, schema }) => `${comment(description)}readonly ${name}: ${typeOf(schema)};`).join('\n')}\n}`;

function declare({ name, description, schema }: ViewDefinition): string {
  const head = `${comment(description)}export `;
  return schema.kind === 'object'
    ? `${head}interface ${name} ${bodyOf(schema.fields)}`
    : `${head}type ${name} = ${typeOf(schema)};`;
}

/** The compact form of a schema that `src/protocol/view/check-shape.ts` reads. */
function shapeOf(schema: ViewSchema): unknown {
  switch (schema.kind) {
    case 'ref':
      return `@${schema.name}`;
    case 'object':
      return Object.fromEntries(schema.fields.map((field) => [field.name, shapeOf(field.schema)]));
    case 'array':
      return ['list', shapeOf(schema.items)];
    case 'tuple':
      return ['tuple', ...schema.items.map(shapeOf)];
    case 'union':
      return ['any', ...schema.members.map(shapeOf)];
    case 'enum':
      return ['is', ...schema.values];
    case 'number':
    case 'integer':
      return schema.minimum === null && schema.kind === 'number'
        ? 'number'
        : [schema.kind, ...[schema.minimum, schema.maximum].filter((bound) => bound !== null)];
    default:
      return schema.kind;
  }
}

const commandsOf = (definitions: readonly ViewDefinition[], prefix: string): readonly (readonly [string, string])[] =>
  definitions.flatMap(({ name, schema }) => {
    if (!name.startsWith(prefix) || !name.endsWith('Message') || schema.kind !== 'object') return [];
    const command = schema.fields.find((field) => field.name === 'command')?.schema;
    return command?.kind === 'enum' ? [[String(command.values[0]), name] as const] : [];
  });

const shapesFile = (definitions: readonly ViewDefinition[]): string => `
  import type { Shape } from '../view/check-shape.ts';

  /** The shapes of all definitions, by name. */
  export const VIEW_SHAPES: Readonly<Record<string, Shape>> = ${JSON.stringify(
    Object.fromEntries(definitions.map(({ name, schema }) => [name, shapeOf(schema)])),
  )};

  /** The shape of each message that a host sends, by its command. */
  export const HOST_COMMANDS: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(commandsOf(definitions, 'Host')))};

  /** The shape of each message that a view sends, by its command. */
  export const VIEW_COMMANDS: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(commandsOf(definitions, 'View')))};
`;

/** `schemas/view.schema.json` → the types of the messages and the shapes that they are checked against. */
export async function generateViewProtocol(text: string): Promise<readonly GeneratedFile[]> {
  const definitions = readViewSchema(text);
  return [
    await generatedFile('src/protocol/generated/view.gen.ts', FROM, definitions.map(declare).join('\n\n')),
    await generatedFile('src/protocol/generated/view-shapes.gen.ts', FROM, shapesFile(definitions)),
  ];
}
