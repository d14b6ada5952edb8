import type { Node } from 'jsonc-parser';

/** A member of an object of the tree; the value is missing in unfinished text. */
export interface Member {
  readonly name: string;
  readonly key: Node;
  readonly value: Node | undefined;
  readonly property: Node;
}

/** Returns the members of an object, in written order; nothing for other values. */
export function membersOf(node: Node | undefined): readonly Member[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    return key === undefined ? [] : [{ name: String(key.value), key, value, property }];
  });
}

/** Returns the entries of an array; nothing for other values. */
export const entriesOf = (node: Node | undefined): readonly Node[] =>
  node?.type === 'array' ? (node.children ?? []) : [];

export const memberOf = (node: Node | undefined, name: string): Node | undefined =>
  membersOf(node).find((member) => member.name === name)?.value;

/** Returns the value of a text; null for other values. */
export const textOf = (node: Node | undefined): string | null => (node?.type === 'string' ? String(node.value) : null);
