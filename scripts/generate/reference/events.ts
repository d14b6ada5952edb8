import ts from 'typescript';
import type { GeneratedFile } from '../generated-file.ts';
import { codeBlock, declaredIn, docOf, type SourceText } from './declared-types.ts';
import { generatedPage } from './markdown.ts';

const SOURCE = 'src/protocol/event.ts';

/** Returns the members of a union type. Intersections among them are not split. Throws if the type is not a union. */
function variants({ declared }: SourceText, name: string): readonly ts.TypeNode[] {
  const found = declared.find((one) => one.name === name)?.node;
  if (found === undefined || !ts.isTypeAliasDeclaration(found) || !ts.isUnionTypeNode(found.type))
    throw new Error(`${SOURCE} has no union ${name}`);
  return found.type.types;
}

function sectionOf(node: ts.TypeNode, file: ts.SourceFile): string {
  const code = node.getText(file).replace(/^\(([\s\S]*)\)$/, '$1');
  const types = [...code.matchAll(/readonly type: ((?:'[^']+'(?:\s*\|\s*)?)+)/g)].map(([, names = '']) => names);
  const title = types
    .join(' ')
    .replaceAll("'", '')
    .replaceAll(/\s*\|\s*/g, ', ')
    .trim();
  return [`### ${title === '' ? code : title}`, docOf(node, file), codeBlock(code)].filter(Boolean).join('\n\n');
}

/** Generates docs/reference/events.md from the types of a run's events. */
export async function eventsReference(text: string): Promise<GeneratedFile> {
  const source = declaredIn(SOURCE, text);
  const scopes = source.declared.filter(({ name }) => !['RunFact', 'EventListener'].includes(name));
  const body = [
    '# Events',
    `A run reports what happens in it as events, numbered from 1 without gaps. They are stored in \`.flow/events.jsonl\`, one JSON
    document a line (its schema is \`schemas/event-line.schema.json\`), and sent to clients of the host.`,
    '`Count` is a whole number from 0 and `Ordinal` one from 1; `Integer` may be negative; `Milliseconds` are a time since the epoch, or a duration.',
    '## Facts of a run',
    ...variants(source, 'RunFact').map((node) => sectionOf(node, source.file)),
    '## Fields that events share',
    ...scopes.map(({ name, doc, text: code }) => [`### ${name}`, doc, codeBlock(code)].filter(Boolean).join('\n\n')),
  ].join('\n\n');
  return generatedPage('docs/reference/events.md', SOURCE, body);
}
