import type { Node } from 'web-tree-sitter';

/** Identifiers in order of first use, each with its positions as a flat list: row, column, row, column, … */
export type NamePositions = Map<string, number[]>;

/**
 * Returns the end offset of an ASCII identifier. Returns -1 if the identifier may contain other characters; the caller
 * then uses the end of the syntax node.
 */
function plainEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isWord =
      (code >= 97 && code <= 122) ||
      (code >= 65 && code <= 90) ||
      (code >= 48 && code <= 57) ||
      code === 95 ||
      code === 36;
    if (isWord) continue;
    return code >= 128 || at === start ? -1 : at;
  }
  return at === start ? -1 : at;
}

const MAX_NAME = 200;

export function addName(names: NamePositions, name: string, row: number, column: number): void {
  if (name === '' || name.length > MAX_NAME) return;
  const positions = names.get(name);
  if (positions === undefined) names.set(name, [row, column]);
  else positions.push(row, column);
}

/**
 * Adds the identifiers at the given syntax nodes. `plain` is true if names in this language contain only letters,
 * digits, `_` and `$`.
 */
export function addNodes(names: NamePositions, text: string, nodes: Iterable<Node>, plain: boolean): void {
  for (const node of nodes) {
    const { startIndex, startPosition } = node;
    const end = plain ? plainEnd(text, startIndex) : -1;
    const name = text.slice(startIndex, end < 0 ? node.endIndex : end);
    addName(names, name, startPosition.row, startPosition.column);
  }
}

/** Adds the whitespace-separated words of a text, such as the classes of an HTML element. */
export function addWords(names: NamePositions, value: string, row: number, column: number): void {
  if (value.includes('\n')) return;
  for (const match of value.matchAll(/\S+/gu)) addName(names, match[0], row, column + match.index);
}

/** Sorts the positions of each name. They can be out of order if several passes added them. */
export function sortPositions(names: NamePositions): NamePositions {
  for (const [name, positions] of names) {
    const pairs: [number, number][] = [];
    for (let at = 0; at < positions.length; at += 2) pairs.push([positions[at] ?? 0, positions[at + 1] ?? 0]);
    const ordered = pairs.every(([row, column], at) => {
      const before = pairs[at - 1];
      return before === undefined || before[0] < row || (before[0] === row && before[1] < column);
    });
    if (ordered) continue;
    pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    names.set(
      name,
      pairs.filter(([row, column], at) => row !== pairs[at - 1]?.[0] || column !== pairs[at - 1]?.[1]).flat(),
    );
  }
  return names;
}
