import type { Graph, GraphBlock, Transition } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import { ERROR, FAIL_DEFAULT, REJECTED } from '#protocol/signal.ts';
import { findComponents } from '../3-check/find-components.ts';
import { MANUAL } from './happenings.ts';
import { MOST_REJECTIONS } from './trace.ts';
import { calledBy, nextInFrame } from './limits.ts';

/** Returns how often a row can be taken in one frame, because it counts visits or rejections; Infinity if it does not. */
function capacity({ worker, maxRejections, transitions }: GraphBlock, { signal, condition }: Transition): number {
  const [limit] = condition?.args ?? [];
  if (condition?.id === 'visits.less_than' && typeof limit === 'number') return Math.max(0, Math.ceil(limit) - 1);
  const isRejection =
    signal === REJECTED || (signal === FAIL_DEFAULT && !transitions.some((row) => row.signal === REJECTED));
  return worker === MANUAL && isRejection ? (maxRejections ?? MOST_REJECTIONS) : Infinity;
}

const rowTarget = ({ action }: Transition): BlockId | null => {
  if (action.kind === 'jump') return action.target;
  return action.kind === 'call' || action.kind === 'fork' ? action.returnTo : null;
};

/** Computes an upper limit of visits from conditions on visits, rejections and limits of steps. */
class VisitCounter {
  readonly #graph: Graph;
  readonly #isTarget: (block: GraphBlock) => boolean;
  readonly #blocks: ReadonlyMap<BlockId, GraphBlock>;
  /** The blocks from which a run can reach a target. */
  readonly #leading: Set<BlockId>;
  readonly #components = new Map<BlockId, readonly BlockId[]>();
  readonly #maxSteps: ReadonlyMap<NodeId, number>;
  readonly #entries: ReadonlyMap<NodeId, BlockId>;
  /** The most visits from a component of blocks to the end of its frame; null while it is computed. */
  readonly #known = new Map<readonly BlockId[], number | null>();

  constructor(graph: Graph, isTarget: (block: GraphBlock) => boolean) {
    this.#graph = graph;
    this.#isTarget = isTarget;
    this.#blocks = new Map(graph.nodes.flatMap(({ blocks }) => blocks).map((block) => [block.id, block]));
    this.#maxSteps = new Map(graph.nodes.map(({ id, maxSteps }) => [id, maxSteps]));
    this.#entries = new Map(graph.nodes.map(({ id, entryBlock }) => [id, entryBlock]));
    const next = (id: BlockId): readonly BlockId[] => nextInFrame(this.#blocks.get(id) as GraphBlock);
    for (const ids of findComponents(this.#blocks.keys(), next)) for (const id of ids) this.#components.set(id, ids);
    const all = (id: BlockId): readonly BlockId[] => {
      const called = calledBy(this.#blocks.get(id) as GraphBlock);
      return [...next(id), ...called.flatMap((node) => this.#entries.get(node) ?? [])];
    };
    // Components come after those that they lead to, so the recursion of #from stays flat.
    const order = findComponents(this.#blocks.keys(), all);
    this.#leading = new Set();
    for (const ids of order)
      if (ids.some((id) => isTarget(this.#blocks.get(id) as GraphBlock) || all(id).some((to) => this.#leading.has(to))))
        for (const id of ids) this.#leading.add(id);
    for (const id of order.flat()) this.#from(id);
  }

  /** Returns the most visits of a frame that begins at a node, with all frames that it opens. */
  inFrame(node: NodeId): number {
    const entry = this.#entries.get(node);
    return entry === undefined ? 0 : this.#from(entry);
  }

  #from(id: BlockId): number {
    if (!this.#leading.has(id)) return 0;
    const ids = this.#components.get(id) ?? [id];
    const known = this.#known.get(ids);
    // A node that calls itself can do so up to the limit of the run.
    if (known === null) return Infinity;
    if (known !== undefined) return known;
    this.#known.set(ids, null);
    const blocks = ids.map((one) => this.#blocks.get(one) as GraphBlock);
    const own = blocks.reduce((sum, block) => sum + this.#ofVisit(block), 0);
    const rounds = own === 0 ? 0 : own * this.#rounds(blocks);
    const members = new Set(ids);
    const after = blocks
      .flatMap(nextInFrame)
      .filter((one) => !members.has(one))
      .map((one) => this.#from(one));
    const most = rounds + Math.max(0, ...after);
    this.#known.set(ids, most);
    return most;
  }

  /** Returns how often a frame can visit each block of a loop. */
  #rounds(blocks: readonly GraphBlock[]): number {
    const members = new Set(blocks.map(({ id }) => id));
    const inner = blocks.flatMap((block) =>
      block.transitions.flatMap((row) => {
        const to = rowTarget(row);
        return to !== null && members.has(to) ? [{ from: block.id, to, most: capacity(block, row) }] : [];
      }),
    );
    if (inner.length === 0) return 1;
    const free = (id: BlockId): readonly BlockId[] =>
      inner.filter(({ from, most }) => from === id && most === Infinity).map(({ to }) => to);
    const isFree = findComponents(members, free).some(
      (ids) => ids.length > 1 || ids.some((id) => free(id).includes(id)),
    );
    const limit = Math.max(...blocks.map(({ node }) => this.#maxSteps.get(node) ?? 0));
    if (isFree) return limit;
    // Without the counted rows there is no loop, so each round takes one of them.
    const counted = inner.reduce((sum, { most }) => sum + (most === Infinity ? 0 : most), 1);
    return Math.min(limit, counted);
  }

  /** Returns the visits of one visit of a block: itself, and those of the frames that it opens. */
  #ofVisit(block: GraphBlock): number {
    const opened = block.transitions.map(({ action }) =>
      action.kind === 'call'
        ? this.inFrame(action.node)
        : action.kind === 'fork'
          ? action.nodes.reduce((sum, node) => sum + this.inFrame(node), 0)
          : 0,
    );
    const most = Math.max(0, ...opened);
    // A child that fails is looked up again in the same visit, which may open another one.
    const again = block.transitions.some(
      ({ signal, action }, row) =>
        (signal === ERROR || signal === FAIL_DEFAULT) && action.kind !== 'jump' && (opened[row] ?? 0) > 0,
    );
    return Number(this.#isTarget(block)) + (again && most > 0 ? Infinity : most);
  }

  get starts(): readonly NodeId[] {
    const { entry, nodes } = this.#graph;
    return entry === null ? nodes.map(({ id }) => id) : [entry];
  }
}

/**
 * Returns the most visits of the target blocks that conditions on visits, limits of rejections and limits of steps
 * permit in a run, without the answers `retry`, `next` and `jump` of persons.
 */
export function mostVisits(graph: Graph, isTarget: (block: GraphBlock) => boolean): number {
  const counter = new VisitCounter(graph, isTarget);
  const most = Math.max(0, ...counter.starts.map((node) => counter.inFrame(node)));
  return Math.min(most, graph.limits.maxRunSteps);
}
