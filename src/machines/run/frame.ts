import type { GraphNode } from '#protocol/graph.ts';
import type { BlockId, FramePath, NodeId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Exports } from '#protocol/payload.ts';
import type { Failure } from '#protocol/response.ts';
import type { PayloadHold } from './payload-log.ts';
import type { RunState } from './run-state.ts';
import type { Visit } from './visit.ts';

/**
 * One level of the call stack: what the actors of a frame share. A JUMP to another node changes `node` and keeps the rest.
 *
 * 1. Only the actors of this frame write to it; a caller reads its child's frame when the child has ended.
 * 2. Whatever it holds follows from the graph and the results recorded so far: a replay rebuilds it.
 */
export interface Frame {
  readonly run: RunState;
  readonly path: FramePath;
  readonly depth: number;
  readonly caller: Frame | null;
  node: GraphNode;
  /** Static memory seen by the blocks of `node`. */
  inherited: JsonObject;
  /** Where the body enters next. */
  landing: BlockId;
  /** The body is about to end because the frame becomes another node. */
  leaving: boolean;
  payload: PayloadHold;
  exports: Exports;
  /** What this frame and its calls wrote since it opened. */
  written: Exports;
  /** Visits, kept across JUMPs. */
  steps: number;
  readonly visits: Map<BlockId, number>;
  /** The visit under way, or the last one. */
  visit: Visit | null;
  /** The next execution of `visit.block` belongs to the same visit. */
  again: boolean;
  /** Branches of the open FORK that have returned, in written order. */
  branches: (Frame | null)[];
  /** Of the child that ended last; looked up as SIGNAL:ERROR. */
  childFailure: Failure | null;
  /** Set: the frame has failed. */
  failure: Failure | null;
}

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

const NOTHING: Exports = Object.freeze({});

function open(opening: Opening): Frame {
  const { run, caller, landing } = opening;
  const node = run.index.node(run.index.block(landing).node);
  const depth = caller === null ? 0 : caller.depth + 1;
  if (depth > run.depth) run.depth = depth;
  return {
    ...opening,
    depth,
    node,
    inherited: staticMemory(node, caller),
    leaving: false,
    written: NOTHING,
    steps: 0,
    visits: new Map(),
    visit: null,
    again: false,
    branches: [],
    childFailure: null,
    failure: null,
  };
}

export const openRootFrame = (run: RunState, landing: BlockId, payload: PayloadHold): Frame =>
  open({ run, path: '/' as FramePath, caller: null, landing, payload, exports: NOTHING });

/** The path of the caller's next child: `/<block>#<visit>`, with `~n` from the second child of a visit on, and `[branch]` in a FORK. */
export function childPath(caller: Frame, visit: Visit, branch: number | null): FramePath {
  const base = caller.path === '/' ? '' : caller.path;
  const again = visit.children > 1 ? `~${visit.children}` : '';
  return `${base}/${visit.block.id}#${visit.number}${again}${branch === null ? '' : `[${branch}]`}` as FramePath;
}

/** A child starts with its caller's payload and exports (spec/manifest.md "Payload and exports"). */
export function openChildFrame(caller: Frame, visit: Visit, node: NodeId, branch: number | null): Frame {
  const { run, payload, exports } = caller;
  const landing = run.index.node(node).entryBlock;
  return open({ run, path: childPath(caller, visit, branch), caller, landing, payload, exports });
}

/** The frame becomes the node of its landing: the old node's static memory and boundary go with it. */
export function becomeNode(frame: Frame): void {
  const { index } = frame.run;
  frame.node = index.node(index.block(frame.landing).node);
  frame.inherited = staticMemory(frame.node, frame.caller);
  frame.leaving = false;
}
