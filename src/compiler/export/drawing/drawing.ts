import type { Action, Graph, GraphBlock, GraphNode, Transition } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';

export type LinkKind = 'jump' | 'call' | 'fork' | 'return' | 'halt' | 'after';

/** One arrow of a drawing: the effect of a row of a transition table. */
export interface Link {
  readonly from: string;
  readonly to: string;
  readonly kind: LinkKind;
  readonly label: string;
}

export interface DrawnBlock {
  readonly key: string;
  readonly block: GraphBlock;
  readonly isEntry: boolean;
}

export interface DrawnNode {
  readonly key: string;
  readonly node: GraphNode;
  readonly isEntry: boolean;
  readonly blocks: readonly DrawnBlock[];
  /** The keys of the node's states for RETURN and HALT; null if no row leads there. */
  readonly returnKey: string | null;
  readonly haltKey: string | null;
}

/**
 * The content that all exported pictures share. Keys are numbered, never derived from names, so that no name can break
 * out of the format.
 */
interface Drawing {
  readonly nodes: readonly DrawnNode[];
  readonly links: readonly Link[];
  /** The key of the first block, or null if the manifest names no entry, so that runs may begin at any node. */
  readonly startKey: string | null;
}

const shortSignal = (signal: string): string => signal.replace(/^SIGNAL:/, '');

const conditionText = ({ condition }: Transition): string =>
  condition === null ? '' : ` if ${condition.id}(${condition.args.map((arg) => JSON.stringify(arg)).join(', ')})`;

const meaning = ({ means }: Transition): string => (means === undefined ? '' : `: ${means.replaceAll(/\s+/g, ' ')}`);

const rowLabel = (row: Transition): string => shortSignal(row.signal) + conditionText(row) + meaning(row);

export function draw(graph: Graph): Drawing {
  const nodes = graph.nodes.map((node, index) => drawNode(node, `n${index}`, node.id === graph.entry));
  const blockKeys = new Map(nodes.flatMap((node) => node.blocks.map((drawn) => [drawn.block.id, drawn.key] as const)));
  const entryKeys = new Map(nodes.map(({ node }) => [node.id, blockKeys.get(node.entryBlock) ?? ''] as const));
  const links = nodes.flatMap((node) => node.blocks.flatMap((drawn) => linksOf(drawn, { node, blockKeys, entryKeys })));
  const start = nodes.find((node) => node.isEntry);
  return {
    nodes,
    links: joinLabels(links),
    startKey: start === undefined ? null : (entryKeys.get(start.node.id) ?? null),
  };
}

function drawNode(node: GraphNode, key: string, isEntry: boolean): DrawnNode {
  const blocks = node.blocks.map((block, index) => ({
    key: `${key}b${index}`,
    block,
    isEntry: block.id === node.entryBlock,
  }));
  const actions = node.blocks.flatMap(({ transitions }) => transitions.map(({ action }) => action));
  const returns = actions.some(endsFrame) || node.blocks.some(({ transitions }) => transitions.length === 0);
  const halts = actions.some(({ kind }) => kind === 'halt');
  return { key, node, isEntry, blocks, returnKey: returns ? `${key}r` : null, haltKey: halts ? `${key}h` : null };
}

/**
 * Returns whether an action ends the frame: a RETURN, or a tail call, after which the callee's RETURN ends it as well.
 */
const endsFrame = (action: Action): boolean =>
  action.kind === 'return' || ((action.kind === 'call' || action.kind === 'fork') && action.returnTo === null);

interface Keys {
  readonly node: DrawnNode;
  readonly blockKeys: ReadonlyMap<BlockId, string>;
  readonly entryKeys: ReadonlyMap<NodeId, string>;
}

function linksOf({ key, block }: DrawnBlock, keys: Keys): readonly Link[] {
  if (block.transitions.length === 0)
    return [{ from: key, to: keys.node.returnKey ?? '', kind: 'return', label: 'any signal' }];
  return block.transitions.flatMap((row) => linksOfRow(key, row, keys));
}

function linksOfRow(from: string, row: Transition, { node, blockKeys, entryKeys }: Keys): readonly Link[] {
  const label = rowLabel(row);
  const { action } = row;
  const after = (target: BlockId | null): Link => ({
    from,
    to: (target === null ? node.returnKey : blockKeys.get(target)) ?? '',
    kind: 'after',
    label: `after ${label}`,
  });
  switch (action.kind) {
    case 'jump':
      return [{ from, to: blockKeys.get(action.target) ?? '', kind: 'jump', label }];
    case 'call':
      return [
        { from, to: entryKeys.get(action.node) ?? '', kind: 'call', label: `${label}: CALL` },
        after(action.returnTo),
      ];
    case 'fork':
      return [
        ...action.nodes.map((branch): Link => ({
          from,
          to: entryKeys.get(branch) ?? '',
          kind: 'fork',
          label: `${label}: FORK`,
        })),
        after(action.returnTo),
      ];
    case 'return':
      return [{ from, to: node.returnKey ?? '', kind: 'return', label }];
    case 'halt':
      return [{ from, to: node.haltKey ?? '', kind: 'halt', label }];
  }
}

/** Merges arrows that differ only in their labels. The merged label has one line for each original label. */
function joinLabels(links: readonly Link[]): readonly Link[] {
  const joined = new Map<string, Link>();
  for (const link of links) {
    const key = `${link.from} ${link.kind} ${link.to}`;
    const seen = joined.get(key);
    joined.set(key, seen === undefined ? link : { ...seen, label: `${seen.label}\n${link.label}` });
  }
  return [...joined.values()];
}
