import type { GraphNode } from '#protocol/graph.ts';
import type { BlockId, FramePath, NodeId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Exports, Returned } from '#protocol/payload.ts';
import type { PayloadHold } from './payload-log.ts';
import type { Frame, RunState, Visit } from './state.ts';

const staticMemory = (node: GraphNode, caller: Frame | null): JsonObject =>
  caller === null || !node.contextInheritance || Object.keys(caller.inherited).length === 0
    ? node.staticMemory
    : Object.freeze({ ...node.staticMemory, ...withoutKeys(caller.inherited, node.staticMemory) });

const withoutKeys = (from: JsonObject, keys: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(from).filter(([key]) => !Object.hasOwn(keys, key)));

interface Opening {
  readonly run: RunState;
  readonly path: FramePath;
  readonly caller: Frame | null;
  readonly landing: BlockId;
  readonly payload: PayloadHold;
  readonly exports: Exports;
}

const nobodyVisits = (): never => {
  throw new RangeError('a block is entered before the body has its visits actor');
};

const NOTHING: Exports = Object.freeze({});
const NONE_RETURNED: readonly Returned[] = Object.freeze([]);
const NOT_FORKED: readonly NodeId[] = Object.freeze([]);

const entryOf = (caller: Frame | null, path: FramePath): 'start' | 'call' | 'fork' =>
  caller === null ? 'start' : path.endsWith(']') ? 'fork' : 'call';

function open(opening: Opening): Frame {
  const { run, caller, landing } = opening;
  const node = run.index.node(run.index.block(landing).node);
  const depth = caller === null ? 0 : caller.depth + 1;
  if (depth > run.depth) run.depth = depth;
  run.record({ type: 'node.entered', via: entryOf(caller, opening.path), node: node.id, frame: opening.path, depth });
  const frame: Frame = {
    ...opening,
    depth,
    called: node.id,
    node,
    inherited: staticMemory(node, caller),
    leaving: false,
    written: NOTHING,
    steps: 0,
    visits: new Map(),
    rejections: new Map(),
    visitBlock: nobodyVisits,
    visit: null,
    again: false,
    signal: null,
    returned: NONE_RETURNED,
    forked: NOT_FORKED,
    branches: [],
    childFailure: null,
    children: new Set(),
    over: false,
    failure: null,
  };
  caller?.children.add(frame);
  return frame;
}

export const openRootFrame = (
  run: RunState,
  landing: BlockId,
  payload: PayloadHold,
  exports: Exports = NOTHING,
): Frame => open({ run, path: '/' as FramePath, caller: null, landing, payload, exports });

/**
 * Returns the path of the caller's next child: `/<block>#<visit>`, with `~n` from the second child of a visit on, and
 * `[branch]` in a FORK.
 */
function childPath(caller: Frame, visit: Visit, branch: number | null): FramePath {
  const base = caller.path === '/' ? '' : caller.path;
  const again = visit.children > 1 ? `~${visit.children}` : '';
  return `${base}/${visit.block.id}#${visit.number}${again}${branch === null ? '' : `[${branch}]`}` as FramePath;
}

/** Opens a child frame with the caller's payload and exports. */
export function openChildFrame(caller: Frame, visit: Visit, node: NodeId, branch: number | null): Frame {
  const { run, payload, exports } = caller;
  const landing = run.index.node(node).entryBlock;
  return open({ run, path: childPath(caller, visit, branch), caller, landing, payload, exports });
}

/**
 * Switches the frame to the node that it jumps to. The old node's static memory and context boundary no longer apply.
 */
export function becomeNode(frame: Frame): void {
  const { index } = frame.run;
  frame.node = index.node(index.block(frame.landing).node);
  frame.inherited = staticMemory(frame.node, frame.caller);
  frame.leaving = false;
  frame.run.record({ type: 'node.entered', via: 'jump', node: frame.node.id, frame: frame.path, depth: frame.depth });
}
