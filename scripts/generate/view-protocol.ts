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

const NUMBERS: Readonly<Record<string, string>> = {
  'number null null': 'n',
  'number 0 null': 't',
  'integer 0 null': 'i',
  'integer 1 null': 'p',
  'integer 1 5': 'l',
};

type NumberOf = (name: string) => number;

function numberToken(schema: Extract<ViewSchema, { kind: 'number' | 'integer' }>): string {
  const bounds = `${schema.kind} ${schema.minimum} ${schema.maximum}`;
  const token = NUMBERS[bounds];
  if (token === undefined)
    throw new Error(`schemas/view.schema.json: no token for numbers with the bounds "${bounds}"`);
  return token;
}

function unionShape(members: readonly ViewSchema[], numberOf: NumberOf): unknown {
  const [one, other] = members.map((member) => shapeOf(member, numberOf));
  if (members.length === 2 && other === '0' && typeof one === 'string') return `${one}?`;
  return ['|', ...members.map((member) => shapeOf(member, numberOf))];
}

/** Returns a schema in the compact form that `src/protocol/view/check-shape.ts` reads. */
function shapeOf(schema: ViewSchema, numberOf: NumberOf): unknown {
  switch (schema.kind) {
    case 'ref':
      return `@${numberOf(schema.name)}`;
    case 'object':
      return Object.fromEntries(schema.fields.map((field) => [field.name, shapeOf(field.schema, numberOf)]));
    case 'array': {
      const items = shapeOf(schema.items, numberOf);
      return typeof items === 'string' && !items.endsWith('?') ? `*${items}` : ['*', items];
    }
    case 'tuple':
      return ['(', ...schema.items.map((item) => shapeOf(item, numberOf))];
    case 'union':
      return unionShape(schema.members, numberOf);
    case 'enum':
      return ['=', ...schema.values];
    case 'number':
    case 'integer':
      return numberToken(schema);
    case 'null':
      return '0';
    default:
      return schema.kind.slice(0, 1);
  }
}

const commandOf = ({ name, schema }: ViewDefinition): string => {
  const command =
    schema.kind === 'object' ? schema.fields.find((field) => field.name === 'command')?.schema : undefined;
  if (command?.kind !== 'enum') throw new Error(`schemas/view.schema.json: ${name} has no command`);
  return String(command.values[0]);
};

/** Returns, as JSON, the shapes of all messages of one direction and of the definitions that they refer to. */
function tableOf(definitions: readonly ViewDefinition[], direction: string): string {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const find = (name: string): ViewDefinition => {
    const definition = byName.get(name);
    if (definition === undefined) throw new Error(`schemas/view.schema.json: there is no definition "${name}"`);
    return definition;
  };
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    if (!numbers.has(name)) numbers.set(name, numbers.size);
    return numbers.get(name) ?? 0;
  };
  const { schema } = find(direction);
  const messages =
    schema.kind === 'union' ? schema.members.flatMap((one) => (one.kind === 'ref' ? [one.name] : [])) : [];
  const commands = Object.fromEntries(messages.map((name) => [commandOf(find(name)), numberOf(name)]));
  const shapes: unknown[] = [];
  // `shapeOf` adds new references to the map while this loop iterates over it; the loop reaches them as well.
  for (const name of numbers.keys()) shapes.push(shapeOf(find(name).schema, numberOf));
  return JSON.stringify({ commands, shapes });
}

const SHAPE_TYPES = `/**
 * A schema in the compact form for \`src/protocol/view/check-shape.ts\`. An object has exactly these properties. A list begins with what it
 * is: \`*\` (items), \`(\` (a tuple), \`|\` (a union), \`=\` (values). A word is a type: \`s\` string, \`b\` boolean, \`0\` null, \`n\` number,
 * \`t\` number from 0, \`i\` integer from 0, \`p\` integer from 1, \`l\` integer from 1 to 5, \`@\` and the number of a shape; with \`*\` before
 * it an array of them, with \`?\` after it also null.
 */
export type Shape = string | readonly (Shape | number | boolean | null)[] | { readonly [property: string]: Shape };

/** The shapes of all messages of one direction, by number, and the number of each command's message. */
export interface ShapeTable {
  readonly commands: Readonly<Record<string, number>>;
  readonly shapes: readonly Shape[];
}
`;

const shapesFile = (definitions: readonly ViewDefinition[]): string => `
${SHAPE_TYPES}
  /** The shapes of the messages that a host sends. */
  export const HOST_SHAPES: ShapeTable = ${tableOf(definitions, 'HostToView')};

  /** The shapes of the messages that a view sends. */
  export const VIEW_SHAPES: ShapeTable = ${tableOf(definitions, 'ViewToHost')};
`;

/** Generates the message types and the shapes that messages are checked against, from `schemas/view.schema.json`. */
export async function generateViewProtocol(text: string): Promise<readonly GeneratedFile[]> {
  const definitions = readViewSchema(text);
  return [
    await generatedFile('src/protocol/generated/view.gen.ts', FROM, definitions.map(declare).join('\n\n')),
    await generatedFile('src/protocol/generated/view-shapes.gen.ts', FROM, shapesFile(definitions)),
  ];
}
