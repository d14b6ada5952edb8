import { isSuccess } from '#machines/run/conditions.ts';
import type { ConditionRef, Graph, GraphBlock, Transition } from '#protocol/graph.ts';
import type { BlockId, NodeId, Signal } from '#protocol/id.ts';
import type { Atom } from '#protocol/rule.ts';
import { ERROR, FAIL_DEFAULT, NO_SIGNAL } from '#protocol/signal.ts';
import { BUILT_IN_CONDITIONS } from '../3-check/read-condition.ts';
import { happensAtEnd, MANUAL, signalsOf, type Workers, workersOf } from './happenings.ts';
import { limitedFrames, recursiveCalls } from './limits.ts';

// The graph as a pushdown system: points within a frame, and edges between them. A CALL pushes a frame, and a FORK is a
// call of its branches side by side. Conditions may be true or false, so no visit is counted.

/** What happens on an edge, in the order in which a run does it. */
export type Label =
  | { readonly kind: 'approve' | 'execute' | 'limit'; readonly block: GraphBlock }
  | {
      readonly kind: 'end';
      readonly block: GraphBlock;
      readonly signal: Signal;
      /** `engine`: the engine emits the signal. `child`: it is the ERROR of a child that failed. */
      readonly by: 'worker' | 'engine' | 'child';
      /** The row that is taken; null if the block has none for the signal. */
      readonly row: Transition | null;
      /** The rows before it, whose conditions are false. */
      readonly skipped: readonly Transition[];
    }
  | { readonly kind: 'answer'; readonly block: GraphBlock; readonly verb: 'retry' | 'next' | 'jump' }
  | { readonly kind: 'land'; readonly block: GraphBlock };

type Exit = 'return' | 'fail';

/** Where a run goes on after an edge. */
export type Then =
  | { readonly kind: 'goto'; readonly to: number }
  | { readonly kind: 'exit'; readonly exit: Exit }
  /** The run ends without success. */
  | { readonly kind: 'stop' }
  /** `back: null` is a tail call. */
  | { readonly kind: 'call'; readonly callee: number; readonly back: number | null; readonly failed: number };

export interface Edge {
  readonly from: number;
  readonly label: Label;
  /** The index of the happenings on this edge; -1 if there are none. */
  readonly group: number;
  readonly cost: number;
  readonly then: Then;
}

/** The happenings on an edge: the execution of a block, its end with a signal, or an approval at its gate. */
export type Group =
  | { readonly kind: 'execution' | 'approval'; readonly block: GraphBlock }
  | { readonly kind: 'end'; readonly block: GraphBlock; readonly signal: Signal };

/** The branches of a FORK, as a point that is called. */
export interface ForkPoint {
  readonly point: number;
  readonly branches: readonly number[];
}

export interface System {
  readonly graph: Graph;
  readonly workers: Workers;
  readonly points: number;
  readonly edges: readonly Edge[];
  readonly groups: readonly Group[];
  readonly forks: readonly ForkPoint[];
  readonly starts: readonly number[];
}

/** The cost of a visit. Paths with lower costs are shown first. */
const VISIT = 1;
/** The additional cost of a row that a run takes only after several visits. */
const LATER = 1_000;
/** The additional cost of an answer of a person that leads around the workflow's own transitions. */
export const BYPASS = 1e7;
/** The additional cost of a frame that a limit (`max_steps`, `max_depth`) ends. */
export const LIMIT = 1e10;

const POINTS_PER_BLOCK = 5;
const [ENTRY, EXECUTION, OUTCOME, CHILD_FAILED, HALTED] = [0, 1, 2, 3, 4] as const;

/** Returns whether an edge begins a visit of its block. */
export const beginsVisit = ({ from, label }: Edge): boolean =>
  label.kind !== 'land' && from % POINTS_PER_BLOCK === ENTRY;

/** Returns whether an answer on this edge leaves a visit before its execution. */
export const leavesEarly = ({ from }: Edge): boolean => from % POINTS_PER_BLOCK !== HALTED;

type Truth = 'always' | 'never' | 'now' | 'later';

/** Returns when a condition holds at the first visit and attempt of a block that ends with the signal. */
function truthOf(condition: ConditionRef | null, signal: Signal): Truth {
  if (condition === null) return 'always';
  if (condition.id === 'response.success') return isSuccess(signal) ? 'always' : 'never';
  const [limit] = condition.args;
  if (condition.id === 'visits.less_than' || condition.id === 'attempt.less_than')
    return typeof limit === 'number' && limit > 1 ? 'now' : 'never';
  return 'later';
}

const isCount = (condition: ConditionRef | null): boolean =>
  condition?.id === 'visits.less_than' || condition?.id === 'attempt.less_than';

interface Candidate {
  readonly row: Transition;
  readonly skipped: readonly Transition[];
  readonly cost: number;
}

/** Returns the rows that a signal can take, and whether it can also take none. */
function lookUp(
  { transitions }: GraphBlock,
  signal: Signal,
): { readonly rows: readonly Candidate[]; readonly isHandled: boolean } {
  const rows: Candidate[] = [];
  const skipped: Transition[] = [];
  let cost = 0;
  for (const wanted of [signal, FAIL_DEFAULT])
    for (const row of transitions) {
      if (row.signal !== wanted) continue;
      const truth = truthOf(row.condition, signal);
      if (truth === 'never') continue;
      rows.push({ row, skipped: [...skipped], cost });
      if (truth === 'always') return { rows, isHandled: true };
      skipped.push(row);
      if (isCount(row.condition)) cost += LATER;
    }
  return { rows, isHandled: false };
}

/** Builds the pushdown system of a graph, with the happenings that the atoms tell apart. */
export function buildSystem(graph: Graph, atoms: readonly Atom[]): System {
  return new Builder(graph, atoms).build();
}

class Builder {
  readonly #graph: Graph;
  readonly #workers: Workers;
  readonly #blocks: readonly GraphBlock[];
  readonly #at: ReadonlyMap<BlockId, number>;
  readonly #entries: ReadonlyMap<NodeId, number>;
  readonly #edges: Edge[] = [];
  readonly #groups: Group[] = [];
  readonly #forks: ForkPoint[] = [];
  readonly #forkPoints = new Map<string, number>();
  readonly #endAtoms: readonly Atom[];
  readonly #mentioned = new Map<BlockId, Signal[]>();
  readonly #limited: ReadonlySet<BlockId>;
  readonly #recursive: (node: NodeId) => boolean;
  /** The point from which a person can jump to every block. */
  readonly #anywhere: number;
  #points: number;

  constructor(graph: Graph, atoms: readonly Atom[]) {
    this.#graph = graph;
    this.#workers = workersOf(graph);
    this.#blocks = graph.nodes.flatMap(({ blocks }) => blocks);
    this.#at = new Map(this.#blocks.map(({ id }, index) => [id, index * POINTS_PER_BLOCK]));
    this.#entries = new Map(graph.nodes.map(({ id, entryBlock }) => [id, this.#entry(entryBlock)]));
    this.#endAtoms = atoms.filter(({ kind }) => kind === 'signal' || kind === 'check' || kind === 'person');
    for (const atom of atoms)
      if (atom.kind === 'signal')
        this.#mentioned.set(atom.block, [...(this.#mentioned.get(atom.block) ?? []), atom.signal]);
    this.#limited = limitedFrames(graph);
    this.#recursive = recursiveCalls(graph);
    this.#anywhere = this.#blocks.length * POINTS_PER_BLOCK;
    this.#points = this.#anywhere + 1;
  }

  build(): System {
    for (const block of this.#blocks) this.#addBlock(block);
    const { entry, nodes } = this.#graph;
    const starts = nodes.filter(({ id }) => entry === null || id === entry).map(({ entryBlock }) => entryBlock);
    return {
      graph: this.#graph,
      workers: this.#workers,
      points: this.#points,
      edges: this.#edges,
      groups: this.#groups,
      forks: this.#forks,
      starts: starts.map((id) => this.#entry(id)),
    };
  }

  #entry(id: BlockId): number {
    return (this.#at.get(id) ?? 0) + ENTRY;
  }

  #add(from: number, label: Label, then: Then, cost = 0, group: Group | null = null): void {
    if (group !== null) this.#groups.push(group);
    this.#edges.push({ from, label, then, cost, group: group === null ? -1 : this.#groups.length - 1 });
  }

  #goto(block: BlockId | null): Then {
    return block === null ? { kind: 'exit', exit: 'return' } : { kind: 'goto', to: this.#entry(block) };
  }

  /** Adds the answers with which a person leads a run to another block. */
  #addBypass(from: number, block: GraphBlock): void {
    this.#add(from, { kind: 'answer', block, verb: 'next' }, this.#goto(block.next), BYPASS);
    this.#add(from, { kind: 'answer', block, verb: 'jump' }, { kind: 'goto', to: this.#anywhere }, BYPASS);
  }

  #addBlock(block: GraphBlock): void {
    const at = this.#entry(block.id);
    const execution: Then = { kind: 'goto', to: at + EXECUTION };
    const execute = (from: number): void =>
      this.#add(from, { kind: 'execute', block }, { kind: 'goto', to: at + OUTCOME }, VISIT, {
        kind: 'execution',
        block,
      });
    const isManual = block.worker === MANUAL;
    const halts = block.transitions.some(({ action }) => action.kind === 'halt');
    if (block.gate) {
      this.#add(at, { kind: 'approve', block }, execution, 0, { kind: 'approval', block });
      this.#addBypass(at, block);
    } else execute(at);
    if (isManual) this.#addBypass(block.gate ? at + EXECUTION : at, block);
    // After the answer `retry`, a block is executed again in the same visit.
    if (block.gate || halts) execute(at + EXECUTION);
    const limit = this.#limited.has(block.id) ? LIMIT : LIMIT + BYPASS;
    this.#add(at, { kind: 'limit', block }, { kind: 'exit', exit: 'fail' }, limit);
    this.#addOutcomes(at, block);
    if (block.transitions.some(({ action }) => action.kind === 'call' || action.kind === 'fork'))
      this.#addLookUp(at + CHILD_FAILED, at, block, ERROR, 'child', new Set());
    if (halts) {
      this.#add(at + HALTED, { kind: 'answer', block, verb: 'retry' }, execution, VISIT);
      this.#addBypass(at + HALTED, block);
      if (isManual && !block.gate) this.#addBypass(at + EXECUTION, block);
    }
    this.#add(this.#anywhere, { kind: 'land', block }, { kind: 'goto', to: at });
  }

  #addOutcomes(at: number, block: GraphBlock): void {
    const { returned, engine } = signalsOf(block, this.#mentioned.get(block.id) ?? [], this.#workers);
    const seen = new Set<string>();
    for (const signal of returned) this.#addLookUp(at + OUTCOME, at, block, signal, 'worker', seen);
    // A failure that the simulation can produce with one answer is the clearest.
    for (const signal of engine.toSorted((a, b) => Number(b === NO_SIGNAL) - Number(a === NO_SIGNAL)))
      this.#addLookUp(at + OUTCOME, at, block, signal, 'engine', seen);
  }

  #groupOf(block: GraphBlock, signal: Signal): Group | null {
    const happens = this.#endAtoms.some((atom) => happensAtEnd(atom, block, signal, this.#graph, this.#workers));
    return happens ? { kind: 'end', block, signal } : null;
  }

  /** Adds the edges of a signal. Of signals that cannot be told apart, only the first has edges. */
  #addLookUp(
    from: number,
    at: number,
    block: GraphBlock,
    signal: Signal,
    by: 'worker' | 'engine' | 'child',
    seen: Set<string>,
  ): void {
    const group = by === 'child' ? null : this.#groupOf(block, signal);
    const isNew = (what: string): boolean => {
      const key = `${what} ${group === null ? '' : signal}`;
      return seen.size < seen.add(key).size;
    };
    if (block.transitions.length === 0 && by === 'worker') {
      const label: Label = { kind: 'end', block, signal, by, row: null, skipped: [] };
      if (isNew('return')) this.#add(from, label, this.#goto(null), 0, group);
      return;
    }
    const { rows, isHandled } = lookUp(block, signal);
    for (const { row, skipped, cost } of rows) {
      if (!isNew(String(row.row))) continue;
      const label: Label = { kind: 'end', block, signal, by, row, skipped };
      this.#add(from, label, this.#follow(at, row), cost, group);
      if (row.action.kind === 'call' || row.action.kind === 'fork')
        this.#addRefusal(from, at, row.action.kind === 'call' ? [row.action.node] : row.action.nodes, label, group);
    }
    // A registered condition can throw, which fails the frame.
    const mayThrow = rows.some(
      ({ row: { condition } }) => condition !== null && !BUILT_IN_CONDITIONS.has(condition.id),
    );
    if (mayThrow && isNew('throw'))
      this.#add(
        from,
        { kind: 'end', block, signal, by, row: null, skipped: [] },
        { kind: 'exit', exit: 'fail' },
        LIMIT,
        group,
      );
    if (isHandled || !isNew(`fail ${by}`)) return;
    const unhandled: Label = { kind: 'end', block, signal, by, row: null, skipped: rows.map(({ row }) => row) };
    // A signal of a worker that no row handles ends the whole run; a signal of the engine ends only the frame.
    if (by !== 'worker') this.#add(from, unhandled, { kind: 'exit', exit: 'fail' }, 0, group);
    else if (group !== null) this.#add(from, unhandled, { kind: 'stop' }, 0, group);
  }

  /** Adds the failure of a call that would be deeper than `max_depth`. */
  #addRefusal(from: number, at: number, nodes: readonly NodeId[], label: Label, group: Group | null): void {
    if (!nodes.some(this.#recursive)) return;
    this.#add(from, label, { kind: 'goto', to: at + CHILD_FAILED }, LIMIT, group);
    this.#add(from, label, { kind: 'exit', exit: 'fail' }, LIMIT, group);
  }

  #follow(at: number, { action }: Transition): Then {
    switch (action.kind) {
      case 'jump':
        return this.#goto(action.target);
      case 'return':
        return this.#goto(null);
      case 'halt':
        return { kind: 'goto', to: at + HALTED };
      case 'call':
      case 'fork': {
        const callee = action.kind === 'call' ? (this.#entries.get(action.node) ?? 0) : this.#fork(action.nodes);
        const back = action.returnTo === null ? null : this.#entry(action.returnTo);
        return { kind: 'call', callee, back, failed: at + CHILD_FAILED };
      }
    }
  }

  #fork(nodes: readonly NodeId[]): number {
    const key = nodes.join(',');
    const known = this.#forkPoints.get(key);
    if (known !== undefined) return known;
    const point = this.#points;
    this.#points += 1;
    this.#forkPoints.set(key, point);
    this.#forks.push({ point, branches: nodes.map((node) => this.#entries.get(node) ?? 0) });
    return point;
  }
}
