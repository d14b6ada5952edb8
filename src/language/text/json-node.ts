import type { Node } from 'jsonc-parser';

/** A property of a JSON object. The value is undefined in incomplete text. */
export interface Member {
  readonly name: string;
  readonly key: Node;
  readonly value: Node | undefined;
  readonly property: Node;
}

/** Returns the properties of a JSON object in written order; an empty list for other values. */
export function membersOf(node: Node | undefined): readonly Member[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    return key === undefined ? [] : [{ name: String(key.value), key, value, property }];
  });
}

/** Returns the elements of a JSON array; an empty list for other values. */
export const entriesOf = (node: Node | undefined): readonly Node[] =>
  node?.type === 'array' ? (node.children ?? []) : [];

export const memberOf = (node: Node | undefined, name: string): Node | undefined =>
  membersOf(node).find((member) => member.name === name)?.value;

/** Returns the value of a JSON string, or null for other values. */
export const textOf = (node: Node | undefined): string | null => (node?.type === 'string' ? String(node.value) : null);
