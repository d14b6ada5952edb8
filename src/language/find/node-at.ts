import { findNodeAtLocation, findNodeAtOffset, getNodePath, type Node } from 'jsonc-parser';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import { spanOf, type ManifestDocument } from '../text/document.ts';
import type { Span } from '../text/place.ts';

/** Returns the innermost value or key of the JSON tree at a text offset. */
export const nodeAt = ({ tree }: ManifestDocument, offset: number): Node | undefined =>
  tree === undefined ? undefined : findNodeAtOffset(tree, offset, true);

/** Returns true if a JSON node is the key of a property. */
export const isKey = (node: Node): boolean => node.parent?.type === 'property' && node.parent.children?.[0] === node;

/** Returns the JSON path of a value. A key has the path of its value. */
export const pathOf = (node: Node): readonly (string | number)[] => getNodePath(node);

/**
 * Returns the value at a JSON pointer (RFC 6901). If a part of the path doesn't exist, returns the last value before
 * it.
 */
export function nodeAtPointer({ tree }: ManifestDocument, pointer: string): Node | undefined {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  let at = tree;
  for (const step of steps) {
    const next = at === undefined ? undefined : findNodeAtLocation(at, [at.type === 'array' ? Number(step) : step]);
    if (next === undefined) return at;
    at = next;
  }
  return at;
}

/** Returns the text span to underline for a diagnostic: the key or scalar value at its position, or else one word. */
export function spanOfDiagnostic(document: ManifestDocument, { line, column }: Diagnostic): Span {
  const from = document.offsetAt({ line: line - 1, character: column - 1 });
  const node = nodeAt(document, from);
  // An object or array starts at its opening bracket; its span would underline all of its lines.
  if (node?.offset === from && node.type !== 'object' && node.type !== 'array') return spanOf(node);
  const word = /^(?:[A-Za-z0-9_-]+|[^\s])/.exec(document.text.slice(from, from + 200))?.[0].length ?? 0;
  return { from, to: from + word };
}
