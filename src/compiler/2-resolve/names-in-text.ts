import { actionSlots } from './action-slots.ts';
import { fullSignal } from './full-names.ts';
import { isTarget } from './short-ways.ts';
import { type DeclaredKind, declaredAt, type Role } from './role.ts';

/**
 * A named thing of a manifest. A block is identified by its node and its name within the node. The name of a worker is
 * the one that is written, with or without its prefix.
 */
export type Symbol =
  | { readonly kind: Exclude<DeclaredKind, 'block'> | 'signal'; readonly name: string }
  | { readonly kind: 'block'; readonly node: string; readonly name: string };

/** A range of offsets in a text. */
interface Span {
  readonly from: number;
  readonly to: number;
}

type Step = string | number;

/** A name in a text. */
export interface NameInText {
  readonly symbol: Symbol;
  /** The range of the name within the value of the string. */
  readonly span: Span;
}

const whole = (text: string, from = 0): Span => ({ from, to: text.length });

/** Returns the offset behind a prefix such as `Block:`, or `from` if the prefix is missing or nothing follows it. */
export const afterPrefix = (text: string, from: number, prefix: string): number =>
  text.startsWith(prefix, from) && text.length > from + prefix.length ? from + prefix.length : from;

/** Returns the names in a reference to a block, which is either `name` or `node__name`. */
export function blockReference(text: string, { from, to }: Span, node: string): readonly NameInText[] {
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

function actionNames(text: string, node: string): readonly NameInText[] {
  return actionSlots(text).flatMap(({ kind, from, to }): readonly NameInText[] => {
    if (kind === 'verb' || from === to) return [];
    const span = { from, to };
    return kind === 'node'
      ? [{ symbol: { kind, name: text.slice(from, to) }, span }]
      : blockReference(text, span, node);
  });
}

const RULE_WORDS: ReadonlySet<string> = new Set(['person', 'changes', 'push', 'merge']);

/** Returns the names in an atom of a rule. */
function atomNames(text: string): readonly NameInText[] {
  const check = afterPrefix(text, 0, 'check:');
  if (check > 0) return [{ symbol: { kind: 'command', name: text.slice(check) }, span: whole(text, check) }];
  const colon = text.indexOf(':');
  const from = Math.max(afterPrefix(text, 0, 'Block:'), afterPrefix(text, 0, 'Node:'));
  const end = text.indexOf(':', from);
  const span = { from, to: end === -1 ? text.length : end };
  const name = text.slice(span.from, span.to);
  if (name.includes('__')) return blockReference(text, span, '');
  if (RULE_WORDS.has(text)) return [];
  return from === 0 && colon !== -1
    ? [{ symbol: { kind: 'worker', name: text }, span: whole(text) }]
    : [{ symbol: { kind: 'node', name }, span }];
}

/** Returns the names in a string of a manifest. */
export function namesIn(text: string, role: Role): readonly NameInText[] {
  switch (role.kind) {
    case 'node': {
      const from = afterPrefix(text, 0, 'Node:');
      return [{ symbol: { kind: 'node', name: text.slice(from) }, span: whole(text, from) }];
    }
    case 'worker':
      // Built-in and registered workers are included, although they have no declaration in the manifest.
      return [{ symbol: { kind: 'worker', name: text }, span: whole(text) }];
    case 'slice':
    case 'pool':
    case 'command':
      return [{ symbol: { kind: role.kind, name: text }, span: whole(text) }];
    case 'signal':
      return [{ symbol: { kind: 'signal', name: fullSignal(text) }, span: whole(text) }];
    case 'block':
      return blockReference(text, whole(text, afterPrefix(text, 0, 'Block:')), role.node);
    case 'action':
      return actionNames(text, role.node);
    case 'way':
    case 'target':
      if (isTarget(text)) return blockReference(text, whole(text, afterPrefix(text, 0, 'Block:')), role.node);
      return role.kind === 'way' ? actionNames(text, role.node) : [];
    case 'atom':
      return atomNames(text);
    case 'merge':
      return text.startsWith('BLOCK:')
        ? blockReference(text, whole(text, afterPrefix(text, 'BLOCK:'.length, 'Block:')), role.node)
        : [];
    default:
      return [];
  }
}

/** Returns the names in a key of a manifest that declares something; the last one is declared. */
export function declaredIn(key: string, path: readonly Step[]): readonly NameInText[] {
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
