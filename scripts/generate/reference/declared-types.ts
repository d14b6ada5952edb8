import ts from 'typescript';

/** A declaration of a TypeScript file, with the text of its doc comment. */
interface Declared {
  readonly name: string;
  readonly doc: string;
  readonly text: string;
  readonly node: ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.VariableStatement;
}

export interface SourceText {
  readonly file: ts.SourceFile;
  readonly declared: readonly Declared[];
}

/** Returns the doc comment of a syntax node as text on one line; an empty string if there is none. */
export function docOf(node: ts.Node, file: ts.SourceFile): string {
  const ranges = ts.getLeadingCommentRanges(file.text, node.getFullStart()) ?? [];
  const last = ranges.filter(({ pos }) => file.text.startsWith('/**', pos)).at(-1);
  if (last === undefined) return '';
  return file.text
    .slice(last.pos + 3, last.end - 2)
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function nameOf(node: Declared['node']): string {
  if (!ts.isVariableStatement(node)) return node.name.text;
  const [first] = node.declarationList.declarations;
  return first === undefined || !ts.isIdentifier(first.name) ? '' : first.name.text;
}

/** Returns the exported interfaces, type aliases and constants of a TypeScript file, in written order. */
export function declaredIn(path: string, text: string): SourceText {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const nodes = file.statements.filter(
    (one): one is Declared['node'] =>
      ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one) || ts.isVariableStatement(one),
  );
  const declared = nodes.map((node) => ({
    node,
    name: nameOf(node),
    doc: docOf(node, file),
    text: node.getText(file).replace(/^export /, ''),
  }));
  return { file, declared };
}

export const codeBlock = (text: string): string => `\`\`\`ts\n${text}\n\`\`\``;
