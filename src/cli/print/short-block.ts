/** A block goes by its name in its node; by its id where that may be another's: `A___b` is `b` of `A_`, or `_b` of `A`. */
export const shortBlock = (block: string, node: string): string =>
  block.startsWith(`${node}__`) && !block.includes('___') ? block.slice(node.length + 2) : block;
