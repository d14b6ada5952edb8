import { BUILT_IN_CONDITIONS, isSuccess } from '#machines/run/conditions.ts';
import type { GraphIndex } from '#machines/run/graph-index.ts';
import { lookUpTransition } from '#machines/run/look-up-transition.ts';
import type { ConditionFacts } from '#protocol/condition.ts';
import type { PastLookup, PastVisit } from '#protocol/forecast.ts';
import type { Action, GraphBlock, GraphNode, Transition } from '#protocol/graph.ts';
import type { BlockId, Signal } from '#protocol/id.ts';
import type { Returned } from '#protocol/payload.ts';
import { ENDS_RUN, type Reason } from '#protocol/response.ts';
import { ERROR, NO_SIGNAL, TIMEOUT, VALIDATION_FAIL } from '#protocol/signal.ts';

// A run without its data: visits are drawn from earlier runs, and the transition tables, the call stack and the limits
// decide what follows. test/model/forecast-walk.model.test.ts compares the path with that of the engine.

/** A lookup on the path of a walk. */
export interface WalkedStep {
  readonly block: BlockId;
  readonly depth: number;
  readonly visit: number;
  readonly signal: Signal | null;
  readonly action: string | null;
}

/** One visit of a walk, and when it began, in milliseconds since the start of the run. */
export interface WalkedVisit {
  readonly at: number;
  readonly visit: PastVisit;
}

export interface Walk {
  readonly ended: 'completed' | 'failed' | 'halted';
  readonly visits: readonly WalkedVisit[];
  readonly ms: number;
}

export interface WalkParts {
  readonly index: GraphIndex;
  readonly draw: (block: BlockId, visit: number) => PastVisit;
  /** Returns false if the run may use no more, so that this visit is its last one. */
  readonly mayContinue?: (visit: PastVisit) => boolean;
  readonly onStep?: (step: WalkedStep) => void;
}

interface WalkedFrame {
  readonly depth: number;
  readonly called: GraphNode;
  node: GraphNode;
  steps: number;
  readonly visits: Map<BlockId, number>;
  returned: readonly Returned[];
  signal: Signal | null;
  /** How many children of the current visit have failed. */
  failures: number;
  /** True: what follows in the visit is a person's answer to its halt. */
  answered: boolean;
}

/** How a frame ends, and when. */
type FrameEnd = { readonly at: number } & (
  | { readonly kind: 'returned'; readonly signal: Signal | null }
  | { readonly kind: 'failed'; readonly reason: Reason | 'child' }
  /** The whole run ends, because it waits for a person, or may use no more. */
  | { readonly kind: 'halted' | 'over' }
);

interface WalkedBranch {
  readonly frame: WalkedFrame;
  readonly end: FrameEnd;
}

/** Where a frame goes on after a lookup. */
type Next = { readonly kind: 'goto'; readonly block: BlockId; readonly at: number } | FrameEnd;

const FACTS: readonly string[] = ['response.success', 'visits.less_than'];

/** Returns whether a walk can evaluate the condition of a row; otherwise the past visit says whether the row was taken. */
const isKnown = ({ condition }: Transition): boolean =>
  condition === null || FACTS.includes(condition.id) || condition.id.startsWith('returned.');

const returnedBy = ({ called, signal }: WalkedFrame): Returned => ({
  node: called.id,
  signal: signal ?? NO_SIGNAL,
  exports: {},
});

/** The signals that the engine emits if an execution fails. Without a row for one, only the frame fails. */
const OF_ENGINE: ReadonlySet<Signal> = new Set([ERROR, TIMEOUT, VALIDATION_FAIL, NO_SIGNAL]);

/** The number of failed children of one visit after which its frame fails, so that a walk ends. */
const MOST_FAILURES = 50;

const failedChild = (node: Returned['node']): Returned => ({ node, signal: ERROR, exports: {} });

class RunWalk {
  readonly #parts: WalkParts;
  readonly #tables = new Map<string, GraphBlock>();
  #visits: WalkedVisit[] = [];
  #begun = 0;

  constructor(parts: WalkParts) {
    this.#parts = parts;
  }

  walk(start: BlockId): Walk {
    const end = this.#frame(start, 0, 0).end;
    const ended = end.kind === 'returned' ? 'completed' : end.kind === 'halted' ? 'halted' : 'failed';
    return { ended, visits: this.#visits, ms: end.at };
  }

  #frame(landing: BlockId, depth: number, from: number): WalkedBranch {
    const { index } = this.#parts;
    const called = index.node(index.block(landing).node);
    const frame: WalkedFrame = {
      depth,
      called,
      node: called,
      steps: 0,
      visits: new Map(),
      returned: [],
      signal: null,
      failures: 0,
      answered: false,
    };
    let next: Next = { kind: 'goto', block: landing, at: from };
    while (next.kind === 'goto') next = this.#visit(frame, next.block, next.at);
    return { frame, end: next };
  }

  #visit(frame: WalkedFrame, id: BlockId, at: number): Next {
    const { index, draw, mayContinue } = this.#parts;
    const block = index.block(id);
    frame.node = index.node(block.node);
    if (this.#begun >= index.graph.limits.maxRunSteps) return { kind: 'failed', reason: 'max_run_steps_exceeded', at };
    if (frame.steps >= frame.node.maxSteps) return { kind: 'failed', reason: 'max_steps_exceeded', at };
    this.#begun += 1;
    frame.steps += 1;
    const number = (frame.visits.get(id) ?? 0) + 1;
    frame.visits.set(id, number);
    frame.failures = 0;
    frame.answered = false;
    const visit = draw(id, number);
    this.#visits.push({ at, visit });
    const until = at + visit.ms;
    if (mayContinue?.(visit) === false) return { kind: 'over', at: until };
    return this.#follow(frame, block, visit.lookups, until);
  }

  /** Follows the lookups of a visit: the first one, and after a halt those that a person's answers led to. */
  #follow(frame: WalkedFrame, block: GraphBlock, lookups: readonly PastLookup[], at: number): Next {
    const [lookup, ...later] = lookups;
    if (lookup === undefined) return { kind: 'halted', at };
    if (lookup.signal === null) return this.#leave(frame, block, lookup, at);
    frame.answered = false;
    const found = this.#lookUp(frame, block, lookup.signal, lookup.action);
    if (found === 'no_table' && lookup.action !== null) {
      this.#note(frame, block, lookup.signal, 'RETURN');
      return { kind: 'returned', signal: lookup.signal, at };
    }
    if (found === null || found === 'no_table') return this.#unhandled(frame, block, lookup.signal, at);
    this.#note(frame, block, lookup.signal, found.text);
    return this.#act(frame, block, found.action, at, () => this.#follow(frame, block, later, at));
  }

  /** Follows a person who has led the run elsewhere. */
  #leave(frame: WalkedFrame, block: GraphBlock, { action }: PastLookup, at: number): Next {
    // The answer to a halt follows a lookup, and is none itself.
    if (!frame.answered) {
      this.#note(frame, block, null, action);
      frame.signal = null;
    }
    if (action === 'NEXT' && block.next !== null) return { kind: 'goto', block: block.next, at };
    const target = action?.startsWith('JUMP:') === true ? this.#parts.index.findBlock(action.slice(5)) : null;
    if (target !== null) return { kind: 'goto', block: target.id, at };
    if (action !== 'RETURN' && action !== 'NEXT') return { kind: 'halted', at };
    return { kind: 'returned', signal: frame.signal, at };
  }

  #unhandled(frame: WalkedFrame, block: GraphBlock, signal: Signal, at: number): FrameEnd {
    this.#note(frame, block, signal, null);
    return { kind: 'failed', reason: OF_ENGINE.has(signal) ? 'child' : 'no_transition', at };
  }

  #act(frame: WalkedFrame, block: GraphBlock, action: Action, at: number, afterHalt: () => Next): Next {
    switch (action.kind) {
      case 'jump':
        return { kind: 'goto', block: action.target, at };
      case 'return':
        return { kind: 'returned', signal: frame.signal, at };
      case 'halt':
        frame.answered = true;
        return afterHalt();
      case 'call':
      case 'fork':
        return this.#callees(frame, block, action, at);
    }
  }

  #callees(
    frame: WalkedFrame,
    block: GraphBlock,
    action: Extract<Action, { kind: 'call' | 'fork' }>,
    at: number,
  ): Next {
    const nodes = action.kind === 'call' ? [action.node] : action.nodes;
    if (frame.depth + 1 > this.#parts.index.graph.limits.maxDepth) {
      frame.returned = nodes.map(failedChild);
      return this.#childFailed(frame, block, at, true);
    }
    const branches = this.#branches(nodes, frame.depth + 1, at);
    const ends = branches.map(({ end }) => end);
    const over = ends.find(({ kind }) => kind === 'over' || kind === 'halted');
    const failed = ends.reduce<FrameEnd | null>(
      (first, end) => (end.kind === 'failed' && (first === null || end.at < first.at) ? end : first),
      null,
    );
    frame.returned = branches.map(({ frame: child, end }, index) =>
      end.kind === 'returned' && (failed === null || end.at < failed.at)
        ? returnedBy(child)
        : failedChild(nodes[index] ?? child.called.id),
    );
    if (failed?.kind === 'failed') {
      // The failure has cancelled the other branches.
      if (failed.reason !== 'child' && ENDS_RUN.has(failed.reason)) return failed;
      return this.#childFailed(frame, block, failed.at, false);
    }
    const until = Math.max(at, ...ends.map((end) => end.at));
    if (over !== undefined) return { kind: over.kind === 'over' ? 'over' : 'halted', at: until };
    const ending = frame.returned.find(({ signal }) => !isSuccess(signal)) ?? frame.returned[0];
    frame.signal = ending?.signal ?? null;
    if (action.returnTo === null) return { kind: 'returned', signal: frame.signal, at: until };
    return { kind: 'goto', block: action.returnTo, at: until };
  }

  /** Walks branches that begin at the same time. What a branch begins after another one has failed, it does not do. */
  #branches(nodes: readonly GraphNode['id'][], depth: number, at: number): readonly WalkedBranch[] {
    const { index } = this.#parts;
    const before = this.#visits.length;
    const branches = nodes.map((node) => this.#frame(index.node(node).entryBlock, depth, at));
    const failures = branches.flatMap(({ end }) => (end.kind === 'failed' ? [end.at] : []));
    if (failures.length === 0 || nodes.length === 1) return branches;
    const first = Math.min(...failures);
    const kept = this.#visits.slice(before).filter((one) => one.at <= first);
    this.#begun -= this.#visits.length - before - kept.length;
    this.#visits = [...this.#visits.slice(0, before), ...kept];
    return branches;
  }

  /** Looks up ERROR for a failed child. `refused`: the child would have been too deep, which is looked up once only. */
  #childFailed(frame: WalkedFrame, block: GraphBlock, at: number, refused: boolean): Next {
    const found = this.#lookUp(frame, block, ERROR, null);
    if (found === null || found === 'no_table') {
      this.#note(frame, block, ERROR, null);
      return { kind: 'failed', reason: 'child', at };
    }
    const again = found.action.kind === 'call' || found.action.kind === 'fork';
    frame.failures += 1;
    if (again && (refused || frame.failures > MOST_FAILURES)) {
      this.#note(frame, block, ERROR, null);
      return { kind: 'failed', reason: 'child', at };
    }
    this.#note(frame, block, ERROR, found.text);
    return this.#act(frame, block, found.action, at, () => ({ kind: 'halted', at }));
  }

  #note({ depth, visits }: WalkedFrame, { id }: GraphBlock, signal: Signal | null, action: string | null): void {
    this.#parts.onStep?.({ block: id, depth, visit: visits.get(id) ?? 0, signal, action });
  }

  #lookUp(frame: WalkedFrame, block: GraphBlock, signal: Signal, taken: string | null): Transition | 'no_table' | null {
    frame.signal = signal;
    const facts = (): ConditionFacts => ({
      exports: {},
      payload: [],
      response: { success: isSuccess(signal), signal },
      attempt: 1,
      visits: frame.visits.get(block.id) ?? 1,
      returned: frame.returned,
    });
    const found = lookUpTransition(this.#tableOf(block, taken), signal, facts, BUILT_IN_CONDITIONS);
    if (found.kind === 'no_table') return 'no_table';
    return found.kind === 'matched' ? found.transition : null;
  }

  /** Returns the block without the rows whose condition reads data, except those that the past visit has taken. */
  #tableOf(block: GraphBlock, taken: string | null): GraphBlock {
    if (block.transitions.every(isKnown)) return block;
    const key = `${block.id} ${taken ?? ''}`;
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const transitions = block.transitions.flatMap((row) => {
      if (isKnown(row)) return [row];
      return row.text === taken ? [{ ...row, condition: null }] : [];
    });
    const table = { ...block, transitions };
    this.#tables.set(key, table);
    return table;
  }
}

/** Walks one run from a block to its end. */
export const walkRun = (start: BlockId, parts: WalkParts): Walk => new RunWalk(parts).walk(start);
