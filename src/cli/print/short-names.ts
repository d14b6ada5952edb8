/** Returns the first names of a list and the number of the others. */
export function fewNames(names: readonly string[], most = 5): string {
  const few = names.slice(0, most).join(', ');
  return names.length > most ? `${few} and ${names.length - most} more` : few;
}

/** Returns the block's name within its node, or its id if that is ambiguous: `A___b` is `b` of `A_` or `_b` of `A`. */
export const shortBlock = (block: string, node: string): string =>
  block.startsWith(`${node}__`) && !block.includes('___') ? block.slice(node.length + 2) : block;
