import type { BlockId, NodeId } from '#protocol/id.ts';

export const nodeId = (name: string): NodeId => name as NodeId;

export const blockId = (id: string): BlockId => id as BlockId;

export const blockIdOf = (node: string, name: string): BlockId => blockId(`${node}__${name}`);

/** `Block:` and `Node:` may stand before an id; alone they are ordinary names. */
export const withoutPrefix = (text: string, prefix: 'Block:' | 'Node:'): string =>
  text.startsWith(prefix) && text.length > prefix.length ? text.slice(prefix.length) : text;

/** A block key or reference as the name inside its node, when it names that node at all. */
export function nameInNode(node: string, written: string): string {
  const id = withoutPrefix(written, 'Block:');
  return id.startsWith(`${node}__`) && id.length > node.length + 2 ? id.slice(node.length + 2) : id;
}

/** A target: a bare name is a block of the same node (spec/manifest.md "Names and grammar"). */
export function targetId(node: string, written: string): BlockId {
  const id = withoutPrefix(written, 'Block:');
  return id.includes('__') ? blockId(id) : blockIdOf(node, id);
}
