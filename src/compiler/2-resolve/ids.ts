import type { BlockId, NodeId } from '#protocol/id.ts';

export const nodeId = (name: string): NodeId => name as NodeId;

export const blockId = (id: string): BlockId => id as BlockId;

export const blockIdOf = (node: string, name: string): BlockId => blockId(`${node}__${name}`);

/**
 * Removes the prefix `Block:` or `Node:` from an id. If nothing follows the prefix, the text is an ordinary name and
 * stays unchanged.
 */
export const withoutPrefix = (text: string, prefix: 'Block:' | 'Node:'): string =>
  text.startsWith(prefix) && text.length > prefix.length ? text.slice(prefix.length) : text;

/** Returns the name of a block inside its node: the key or reference without the prefix and without this node's id. */
export function nameInNode(node: string, written: string): string {
  const id = withoutPrefix(written, 'Block:');
  return id.startsWith(`${node}__`) && id.length > node.length + 2 ? id.slice(node.length + 2) : id;
}

/** Returns the block id of a target. A target without a node is a block of the given node. */
export function targetId(node: string, written: string): BlockId {
  const id = withoutPrefix(written, 'Block:');
  return id.includes('__') ? blockId(id) : blockIdOf(node, id);
}
