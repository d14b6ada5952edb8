import type { Graph, GraphBlock } from '#protocol/graph.ts';
import type { BlockId, NodeId, Signal } from '#protocol/id.ts';
import { ERROR, REJECTED } from '#protocol/signal.ts';
import { conditionsFor } from '../rules/assume.ts';
import { MANUAL } from '../rules/happenings.ts';
import { beginsVisit, buildSystem, BYPASS, type Edge, type Label, type System } from '../rules/system.ts';
import { MOST_REJECTIONS, type TracedStep, Tracer, type TracedFrame } from '../rules/trace.ts';

// A search of real configurations, with the counts of visits that conditions read. It finds the shortest path to each
// row; persons answer only what the workflow asks, and never lead a run elsewhere.

/** One frame of a configuration. */
interface OpenFrame {
  readonly point: number;
  readonly steps: number;
  readonly visits: ReadonlyMap<BlockId, number>;
  readonly rejections: ReadonlyMap<BlockId, number>;
  readonly returned: TracedFrame['returned'];
  readonly signal: Signal | null;
  /** The call that the frame waits for, and the branches of a FORK that are still to run. */
  readonly call: Call | null;
}

interface Call {
  readonly label: Extract<Label, { kind: 'end' }>;
  readonly back: number | null;
  readonly failed: number;
  readonly nodes: readonly NodeId[];
  readonly points: readonly number[];
  readonly next: number;
  readonly signals: readonly Signal[];
}

interface Configuration {
  readonly stack: readonly OpenFrame[];
  readonly parent: Configuration | null;
  /** The edge that led here. */
  readonly edge: Edge | null;
}

/** The configurations that are explored before the search gives up. */
const MOST = 60_000;
const DEEPEST = 16;

const freshFrame = (point: number): OpenFrame => ({
  point,
  steps: 0,
  visits: new Map(),
  rejections: new Map(),
  returned: [],
  signal: null,
  call: null,
});

const keyOf = ({ block }: Extract<Label, { kind: 'end' }>, row: number): string => `${block.id} ${row}`;

/** The blocks whose visits a condition counts, with the number from which on the count does not matter. */
function countedVisits({ nodes }: Graph): ReadonlyMap<BlockId, number> {
  const counted = new Map<BlockId, number>();
  for (const { id, transitions } of nodes.flatMap(({ blocks }) => blocks))
    for (const { condition } of transitions) {
      const [limit] = condition?.args ?? [];
      if (condition?.id === 'visits.less_than' && typeof limit === 'number')
        counted.set(id, Math.max(counted.get(id) ?? 0, Math.ceil(limit)));
    }
  return counted;
}

class RowExplorer {
  readonly found = new Map<string, Configuration>();
  readonly #system: System;
  readonly #edges: ReadonlyMap<number, readonly Edge[]>;
  readonly #forks: ReadonlyMap<number, readonly number[]>;
  readonly #counted: ReadonlyMap<BlockId, number>;
  readonly #maxSteps: ReadonlyMap<NodeId, number>;
  readonly #wanted: number;
  readonly #seen = new Set<string>();
  #queue: Configuration[] = [];

  constructor(graph: Graph) {
    this.#system = buildSystem(graph, []);
    const edges = new Map<number, Edge[]>();
    for (const edge of this.#system.edges) {
      if (edge.cost >= BYPASS || (edge.label.kind === 'answer' && edge.label.verb === 'retry')) continue;
      edges.set(edge.from, [...(edges.get(edge.from) ?? []), edge]);
    }
    this.#edges = edges;
    this.#forks = new Map(this.#system.forks.map(({ point, branches }) => [point, branches]));
    this.#counted = countedVisits(graph);
    this.#maxSteps = new Map(graph.nodes.map(({ id, maxSteps }) => [id, maxSteps]));
    this.#wanted = graph.nodes.flatMap(({ blocks }) => blocks.flatMap(({ transitions }) => transitions)).length;
  }

  run(): void {
    for (const start of this.#system.starts) this.#queue.push({ stack: [freshFrame(start)], parent: null, edge: null });
    // Rounds of equal numbers of edges; an edge without a visit costs a round as well.
    while (this.#queue.length > 0 && this.#seen.size < MOST && this.found.size < this.#wanted) {
      const round = this.#queue;
      this.#queue = [];
      for (const configuration of round) this.#expand(configuration);
    }
  }

  #expand(configuration: Configuration): void {
    const frame = configuration.stack.at(-1);
    for (const edge of this.#edges.get(frame?.point ?? -1) ?? []) {
      const stack = this.#take(edge, configuration.stack);
      if (stack === null) continue;
      const next: Configuration = { stack, parent: configuration, edge };
      const { label } = edge;
      if (label.kind === 'end' && label.row !== null) {
        const key = keyOf(label, label.row.row);
        if (!this.found.has(key)) this.found.set(key, next);
      }
      if (stack.length === 0) continue;
      const identity = stack.map((one) => this.#identity(one)).join(' / ');
      if (this.#seen.has(identity)) continue;
      this.#seen.add(identity);
      this.#queue.push(next);
    }
  }

  #identity({ point, visits, rejections, returned, call }: OpenFrame): string {
    const counts = [...this.#counted].map(([id, most]) => Math.min(visits.get(id) ?? 0, most));
    const signals = [...returned.map(({ signal }) => signal), '|', ...(call?.signals ?? [])];
    return [point, ...counts, ...[...rejections].flat(), ...signals, call?.next ?? ''].join(' ');
  }

  /** Returns the stack after an edge; null if a run can't take it here. */
  #take(edge: Edge, stack: readonly OpenFrame[]): readonly OpenFrame[] | null {
    const below = stack.slice(0, -1);
    const top = stack.at(-1);
    const frame = top === undefined ? null : this.#after(edge, top);
    if (frame === null) return null;
    const { then, label } = edge;
    switch (then.kind) {
      case 'stop':
        return [];
      case 'goto':
        return [...below, { ...frame, point: then.to }];
      case 'exit':
        return this.#leave(below, then.exit === 'return' ? (frame.signal ?? null) : 'failed');
      case 'call': {
        const action = label.kind === 'end' ? label.row?.action : undefined;
        if (label.kind !== 'end' || stack.length >= DEEPEST) return null;
        const points = this.#forks.get(then.callee) ?? [then.callee];
        const nodes = action?.kind === 'call' ? [action.node] : action?.kind === 'fork' ? action.nodes : [];
        const call: Call = { label, back: then.back, failed: then.failed, nodes, points, next: 1, signals: [] };
        return [...below, { ...frame, call }, freshFrame(points[0] ?? 0)];
      }
    }
  }

  /** Returns a frame after the label of an edge, with its counts. */
  #after(edge: Edge, frame: OpenFrame): OpenFrame | null {
    const { label } = edge;
    const { block } = label;
    if (beginsVisit(edge)) {
      if (frame.steps >= (this.#maxSteps.get(block.node) ?? Infinity)) return null;
      const visits = new Map(frame.visits).set(block.id, (frame.visits.get(block.id) ?? 0) + 1);
      return { ...frame, visits, steps: frame.steps + 1 };
    }
    if (label.kind !== 'end') return frame;
    const facts = { attempts: 1, visit: frame.visits.get(block.id) ?? 1, returned: frame.returned };
    const added = { exports: new Map(), types: new Set<string>() };
    if (conditionsFor(label, facts, added).assumes.length > 0) return null;
    const rejections = this.#reject(block, label.signal, frame);
    return rejections === null ? null : { ...frame, rejections, signal: label.signal };
  }

  #reject(block: GraphBlock, signal: Signal, { rejections }: OpenFrame): OpenFrame['rejections'] | null {
    if (block.worker !== MANUAL || signal !== REJECTED) return rejections;
    const count = (rejections.get(block.id) ?? 0) + 1;
    return count > (block.maxRejections ?? MOST_REJECTIONS) ? null : new Map(rejections).set(block.id, count);
  }

  /** Ends the frame above these frames. */
  #leave(stack: readonly OpenFrame[], result: Signal | null | 'failed'): readonly OpenFrame[] {
    const caller = stack.at(-1);
    const call = caller?.call;
    if (caller === undefined || call === null || call === undefined) return [];
    const below = stack.slice(0, -1);
    if (result === 'failed') return [...below, { ...caller, call: null, point: call.failed }];
    const signals = [...call.signals, result ?? ERROR];
    if (call.next < call.points.length)
      return [
        ...below,
        { ...caller, call: { ...call, signals, next: call.next + 1 } },
        freshFrame(call.points[call.next] ?? 0),
      ];
    const returned = call.nodes.map((node, index) => ({ node, signal: signals[index] ?? ERROR }));
    const frame = { ...caller, call: null, returned };
    return call.back === null
      ? this.#leave(below, returned[0]?.signal ?? null)
      : [...below, { ...frame, point: call.back }];
  }
}

/** Writes down the steps to a configuration. */
function stepsTo(configuration: Configuration): readonly TracedStep[] {
  const path: Configuration[] = [];
  for (let at: Configuration | null = configuration; at !== null; at = at.parent) path.unshift(at);
  const tracer = new Tracer();
  const frames: TracedFrame[] = [tracer.root()];
  for (const [index, { edge, stack }] of path.entries()) {
    const top = frames.at(-1);
    const before = path[index - 1]?.stack ?? [];
    if (edge === null || top === undefined) continue;
    tracer.note(edge, top);
    if (stack.length > before.length) frames.push(tracer.child(top, edge.label, 0));
    else if (edge.then.kind === 'exit') {
      // Frames that ended with this one, and the next branch of a FORK, if one begins.
      const caller = stack.findLastIndex(({ call }) => call !== null);
      const opens = caller >= 0 && caller === stack.length - 2 && (stack[caller]?.call?.next ?? 1) > 1;
      const isSame =
        opens && stack.length <= before.length && (before[caller]?.call?.next ?? 0) < (stack[caller]?.call?.next ?? 0);
      frames.splice(isSame ? caller + 1 : stack.length);
      const parent = frames.at(-1);
      const call = stack[caller]?.call;
      if (isSame && parent !== undefined && call) frames.push(tracer.child(parent, call.label, call.next - 1));
      else if (parent !== undefined) parent.returned = stack.at(-1)?.returned ?? [];
    }
  }
  return tracer.steps;
}

/** Returns the steps of the shortest path that takes each row, by block id and row; rows that no path takes are missing. */
export function pathsToRows(graph: Graph): ReadonlyMap<string, readonly TracedStep[]> {
  const explorer = new RowExplorer(graph);
  explorer.run();
  return new Map([...explorer.found].map(([key, configuration]) => [key, stepsTo(configuration)]));
}
