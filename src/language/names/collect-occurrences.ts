import type { Node } from 'jsonc-parser';
import { declaredIn, type NameInText, namesIn, roleAt, type Symbol } from '#compiler/index.ts';
import type { ManifestDocument } from '../text/document.ts';
import { entriesOf, membersOf } from '../text/json-node.ts';
import { fullSignal, isSignalKey } from './signal-keys.ts';
import type { Span } from '../text/place.ts';

export type { Symbol };

/** One place where a symbol's name is written. The span covers the name without prefixes such as `Block:`. */
export interface Occurrence {
  readonly symbol: Symbol;
  readonly file: string;
  readonly span: Span;
  readonly isDeclaration: boolean;
}

/** Returns a map key for a symbol. It joins the parts by line feeds, which names can't contain. */
export const keyOf = (symbol: Symbol): string =>
  symbol.kind === 'block' ? `block\n${symbol.node}\n${symbol.name}` : `${symbol.kind}\n${symbol.name}`;

/**
 * The maximum depth of JSON values that are visited. Deeper values contain no symbol names, and hostile nesting could
 * overflow the stack.
 */
const DEEPEST = 10;

type Step = string | number;

/** Returns whether the value at a path is the name of an import, which is the name of a node. */
const isImportName = (path: readonly Step[]): boolean => path.length === 3 && path[0] === 'imports' && path[2] === 'as';

const nodeNamed = (name: string): NameInText => ({
  symbol: { kind: 'node', name },
  span: { from: 0, to: name.length },
});

/** Returns the signal that a key names: `on` and `default_transitions` have rows by signal. */
function signalIn(key: string, path: readonly Step[]): readonly NameInText[] {
  if (!isSignalKey(path)) return [];
  return [{ symbol: { kind: 'signal', name: fullSignal(key) }, span: { from: 0, to: key.length } }];
}

/** Returns every occurrence of a symbol name in a manifest file. */
export function collectOccurrences(document: ManifestDocument): readonly Occurrence[] {
  const { path: file, text, tree } = document;
  const occurrences: Occurrence[] = [];
  const keep = (node: Node, found: readonly NameInText[], declares: boolean): void => {
    // If a JSON string contains escapes, offsets in its value differ from those in the text; then the whole string is
    // the span.
    const isPlain = node.length === String(node.value).length + 2;
    for (const { symbol, span } of found) {
      const start = node.offset + 1;
      const inner = isPlain ? span : { from: 0, to: node.length - 2 };
      const isDeclaration = declares && symbol === found.at(-1)?.symbol;
      occurrences.push({ symbol, file, isDeclaration, span: { from: start + inner.from, to: start + inner.to } });
    }
  };
  const walk = (node: Node | undefined, path: readonly Step[]): void => {
    if (node === undefined || path.length > DEEPEST) return;
    if (node.type === 'string') {
      const role = roleAt(path);
      if (isImportName(path)) keep(node, [nodeNamed(String(node.value))], true);
      if (role !== null && text[node.offset] === '"') keep(node, namesIn(String(node.value), role), false);
    }
    for (const { name, key, value } of membersOf(node)) {
      const inside = [...path, name];
      keep(key, declaredIn(name, inside), true);
      keep(key, signalIn(name, inside), false);
      walk(value, inside);
    }
    entriesOf(node).forEach((entry, index) => walk(entry, [...path, index]));
  };
  walk(tree, []);
  return occurrences;
}
