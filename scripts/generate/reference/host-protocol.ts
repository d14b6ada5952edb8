import ts from 'typescript';
import type { GeneratedFile } from '../generated-file.ts';
import { codeBlock, declaredIn, docOf, type SourceText } from './declared-types.ts';
import { generatedPage, table } from './markdown.ts';

const SOURCE = 'src/protocol/host.ts';

/** Returns a table row for each member of an interface: name, types and doc comment. */
function members({ file, declared }: SourceText, name: string): readonly (readonly string[])[] {
  const found = declared.find((one) => one.name === name)?.node;
  if (found === undefined || !ts.isInterfaceDeclaration(found)) throw new Error(`${SOURCE} has no interface ${name}`);
  return found.members.filter(ts.isPropertySignature).map((member) => {
    const type = member.type;
    const types =
      type !== undefined && ts.isTypeReferenceNode(type) && type.typeName.getText(file) === 'Method'
        ? (type.typeArguments ?? []).map((one) => one.getText(file))
        : [type?.getText(file) ?? ''];
    return [
      `\`${member.name.getText(file).replaceAll("'", '')}\``,
      ...types.map((one) => `\`${one}\``),
      docOf(member, file),
    ];
  });
}

/** Generates docs/reference/host-protocol.md from the protocol's types. */
export async function hostProtocolReference(text: string): Promise<GeneratedFile> {
  const source = declaredIn(SOURCE, text);
  const types = source.declared.filter(
    ({ name }) => !['HostMethods', 'HostNotices', 'Method', 'HostMethod'].includes(name),
  );
  const body = [
    '# Host protocol',
    `The engine host speaks JSON-RPC 2.0 over a Unix domain socket or a named pipe that only its user can open. The path of
    the socket stands in \`.flow/engine.lock\`, and the token in a file beside the socket. The first request of a connection
    is \`hello\`, with the protocol version and the token; the host closes a connection that begins with anything else.`,
    '## Requests',
    table(['method', 'params', 'result', 'meaning'], members(source, 'HostMethods')),
    '## Notifications',
    table(['notification', 'params', 'meaning'], members(source, 'HostNotices')),
    '## Types',
    ...types.map(({ name, doc, text: code }) => [`### ${name}`, doc, codeBlock(code)].filter(Boolean).join('\n\n')),
  ].join('\n\n');
  return generatedPage('docs/reference/host-protocol.md', SOURCE, body);
}
