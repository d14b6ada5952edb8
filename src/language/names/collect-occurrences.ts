import type { Node } from 'jsonc-parser';
import { actionSlots } from '#compiler/index.ts';
import type { ManifestDocument } from '../text/document.ts';
import { entriesOf, membersOf } from '../text/json-node.ts';
import type { Span } from '../text/place.ts';
import type { Occurrence, Symbol } from './occurrence.ts';
import { declaredAt, type Role, roleAt } from './role.ts';

/**
 * The maximum depth of JSON values that are visited. Deeper values contain no symbol names, and hostile nesting could
 * overflow the stack.
 */
const DEEPEST = 10;

type Step = string | number;

interface Found {
  readonly symbol: Symbol;
  /** The span of the name within the string's value. */
  readonly span: Span;
}

const whole = (text: string, from = 0): Span => ({ from, to: text.length });

/** Returns the offset behind a prefix such as `Block:`, or `from` if the prefix is missing or nothing follows it. */
export const afterPrefix = (text: string, from: number, prefix: string): number =>
  text.startsWith(prefix, from) && text.length > from + prefix.length ? from + prefix.length : from;

/** Returns the names in a reference to a block, which is either `name` or `node__name`. */
export function blockReference(text: string, { from, to }: Span, node: string): readonly Found[] {
  const written = text.slice(from, to);
  const end = written.indexOf('__');
  if (written === '') return [];
  if (end <= 0) return [{ symbol: { kind: 'block', node, name: written }, span: { from, to } }];
  const owner = written.slice(0, end);
  const start = from + end + 2;
  return [
    { symbol: { kind: 'node', name: owner }, span: { from, to: from + end } },
    { symbol: { kind: 'block', node: owner, name: text.slice(start, to) }, span: { from: start, to } },
  ];
}

function actionNames(text: string, node: string): readonly Found[] {
  return actionSlots(text).flatMap(({ kind, from, to }): readonly Found[] => {
    if (kind === 'verb' || from === to) return [];
    const span = { from, to };
    return kind === 'node'
      ? [{ symbol: { kind, name: text.slice(from, to) }, span }]
      : blockReference(text, span, node);
  });
}

function namesIn(text: string, role: Role): readonly Found[] {
  switch (role.kind) {
    case 'node': {
      const from = afterPrefix(text, 0, 'Node:');
      return [{ symbol: { kind: 'node', name: text.slice(from) }, span: whole(text, from) }];
    }
    case 'worker':
      // Built-in and registered workers have no declaration in the manifest; their names are collected all the same.
      return [{ symbol: { kind: 'worker', name: text }, span: whole(text) }];
    case 'slice':
    case 'pool':
    case 'signal':
      return [{ symbol: { kind: role.kind, name: text }, span: whole(text) }];
    case 'block':
      return blockReference(text, whole(text, afterPrefix(text, 0, 'Block:')), role.node);
    case 'action':
      return actionNames(text, role.node);
    case 'merge':
      return text.startsWith('BLOCK:')
        ? blockReference(text, whole(text, afterPrefix(text, 'BLOCK:'.length, 'Block:')), role.node)
        : [];
    default:
      return [];
  }
}

function declaredIn(key: string, path: readonly Step[]): readonly Found[] {
  const kind = declaredAt(path);
  if (kind === null) return [];
  if (kind !== 'block') return [{ symbol: { kind, name: key }, span: whole(key) }];
  const node = String(path[1]);
  const from = afterPrefix(key, 0, 'Block:');
  const own = key.startsWith(`${node}__`, from) && key.length > from + node.length + 2;
  if (!own) return [{ symbol: { kind, node, name: key.slice(from) }, span: whole(key, from) }];
  const start = from + node.length + 2;
  return [
    { symbol: { kind: 'node', name: node }, span: { from, to: from + node.length } },
    { symbol: { kind, node, name: key.slice(start) }, span: whole(key, start) },
  ];
}

/** Returns every occurrence of a symbol name in a manifest file. */
export function collectOccurrences(document: ManifestDocument): readonly Occurrence[] {
  const { path: file, text, tree } = document;
  const occurrences: Occurrence[] = [];
  const keep = (node: Node, found: readonly Found[], declares: boolean): void => {
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
      if (role !== null && text[node.offset] === '"') keep(node, namesIn(String(node.value), role), false);
    }
    for (const { name, key, value } of membersOf(node)) {
      const inside = [...path, name];
      keep(key, declaredIn(name, inside), true);
      walk(value, inside);
    }
    entriesOf(node).forEach((entry, index) => walk(entry, [...path, index]));
  };
  walk(tree, []);
  return occurrences;
}
