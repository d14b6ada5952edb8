import type { GeneratedFile } from '../generated-file.ts';
import { readViewSchema } from '../view-schema.ts';
import type { ViewDefinition } from '../view-schema.ts';
import { generatedPage, table } from './markdown.ts';

const INTRODUCTION = `# Messages between a host and its views

Mission Control and its panels are views of messages: in VS Code over \`postMessage\`, in the browser over a WebSocket. Each message is
\`{ protocol: 1, command, payload }\`. Both sides check what they receive; a message that does not fit the schema is logged and ignored.
The state comes as a \`snapshot\`, then as \`patch\` messages with consecutive numbers. A view that misses a number sends
\`requestSnapshot\`. Every message with a \`request\` is answered by a \`reply\`.`;

type Payload = ViewDefinition['schema'] | undefined;

function describePayload(payload: Payload): string {
  if (payload?.kind === 'ref') return `\`${payload.name}\``;
  return payload?.kind === 'object' ? payload.fields.map(({ name }) => `\`${name}\``).join(', ') : '';
}

function rowOf({ description, schema }: ViewDefinition): readonly string[] {
  const fields = schema.kind === 'object' ? schema.fields : [];
  const schemaOf = (name: string): Payload => fields.find((field) => field.name === name)?.schema;
  const command = schemaOf('command');
  const name = command?.kind === 'enum' ? String(command.values[0]) : '';
  return [`\`${name}\``, description ?? '', describePayload(schemaOf('payload'))];
}

/** Generates docs/reference/view-messages.md: every message from the host to a view and back. */
export async function viewMessagesReference(schema: string): Promise<GeneratedFile> {
  const definitions = readViewSchema(schema);
  const section = (prefix: string): string => {
    const messages = definitions.filter(({ name }) => name.startsWith(prefix) && name.endsWith('Message'));
    return table(['command', 'meaning', 'payload'], messages.map(rowOf));
  };
  const body = [INTRODUCTION, '## From the host', section('Host'), '## From the view', section('View')].join('\n\n');
  return generatedPage('docs/reference/view-messages.md', 'schemas/view.schema.json', body);
}
