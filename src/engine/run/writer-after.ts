import type { GraphIndex } from '#machines/run/graph-index.ts';
import type { GraphBlock, Transition } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { AnswerWriter } from '#workers/index.ts';

const WRITER = 'Internal:FileSystemWriter';

/** Returns the blocks to which a CALL of this node returns; null stands for a frame that ends with the call. */
const returnsOf = ({ graph }: GraphIndex, node: NodeId): readonly (BlockId | null)[] =>
  graph.nodes.flatMap(({ blocks }) =>
    blocks.flatMap(({ transitions }) =>
      transitions.flatMap(({ action }) => (action.kind === 'call' && action.node === node ? [action.returnTo] : [])),
    ),
  );

/** Returns the block that follows a row directly, or null if there is none or it depends on the caller. */
function nextOf(index: GraphIndex, node: NodeId, { action }: Pick<Transition, 'action'>): GraphBlock | null {
  if (action.kind === 'jump') return index.findBlock(action.target);
  if (action.kind !== 'return') return null;
  const [first, ...others] = new Set(returnsOf(index, node));
  return first === undefined || first === null || others.length > 0 ? null : index.findBlock(first);
}

/** Returns the FileSystemWriter that reads a block's answer next, with the signals that lead to it, or null. */
export function writerAfter(index: GraphIndex, { node, transitions }: GraphBlock): AnswerWriter | null {
  const rows =
    transitions.length > 0 ? transitions : [{ signal: 'SIGNAL:SUCCESS', action: { kind: 'return' } as const }];
  const found = rows.flatMap((row) => {
    const block = nextOf(index, node, row);
    return block?.worker === WRITER ? [{ signal: row.signal, block }] : [];
  });
  const [first] = found;
  if (first === undefined || found.some(({ block }) => block !== first.block)) return null;
  return { block: first.block, signals: new Set(found.map(({ signal }) => signal)) };
}
