import { parseAction } from '#compiler/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';

/**
 * The position at which an action is executed. `null` on the stack means that the caller was in tail position, so it
 * returns as well.
 */
export interface ActionParams {
  readonly action: string;
  readonly returnStack: readonly (BlockId | null)[];
  /** The block to which a CALL returns if the action names none; null if the block is in tail position. */
  readonly returnAddress: BlockId | null;
  readonly graph: Graph;
  /** The node of short block names in the action; needed only for those. */
  readonly node?: string;
}

/** The position after an action. */
export interface ActionResult {
  /** Null for RETURN from an empty stack, or a halt: the run stops here. */
  readonly nextBlockId: BlockId | null;
  readonly returnStack: readonly (BlockId | null)[];
}

const entryOf = (graph: Graph, id: string): BlockId => {
  const node = graph.nodes.find((candidate) => candidate.id === id);
  if (node === undefined) throw new RangeError(`the graph has no node "${id}"`);
  return node.entryBlock;
};

function popReturn(stack: readonly (BlockId | null)[]): ActionResult {
  const rest = [...stack];
  while (rest.length > 0) {
    const address = rest.pop();
    if (address !== null && address !== undefined) return { nextBlockId: address, returnStack: rest };
  }
  return { nextBlockId: null, returnStack: rest };
}

/**
 * Returns what JUMP, CALL and RETURN do to block and stack, as a pure function. Refuses FORK, which needs several
 * stacks.
 */
export function executeAction({ action: text, returnStack, returnAddress, graph, node }: ActionParams): ActionResult {
  const parsed = parseAction(text, node ?? null);
  if (!parsed.ok) throw new RangeError(`"${text}" is not a valid action: ${parsed.problem}`);
  const { action } = parsed;
  switch (action.kind) {
    case 'jump':
      return { nextBlockId: action.target, returnStack };
    case 'call':
      return {
        nextBlockId: entryOf(graph, action.node),
        returnStack: [...returnStack, action.returnTo ?? returnAddress],
      };
    case 'return':
      return popReturn(returnStack);
    case 'halt':
      return { nextBlockId: null, returnStack };
    case 'fork':
      throw new RangeError('FORK needs several stacks: run the workflow with an Orchestrator');
  }
}
