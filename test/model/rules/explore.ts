import type { Action, Graph, GraphBlock, Transition } from '#protocol/graph.ts';
import type { Rule } from '#protocol/rule.ts';
import { firstState, type Moment, watch } from './watch-path.ts';

// A naive decision of a rule: all configurations of a run, with the whole call stack written out, up to a depth. It
// knows nothing of summaries. Frames are trees, so that branches of a FORK take their steps in every order.

type Phase = 'entry' | 'execute' | 'outcome' | 'failed' | 'halted';

interface Frame {
  readonly block: string;
  readonly phase: Phase;
  readonly children: readonly Frame[] | null;
  /** The address after the children; null ends the frame. */
  readonly back: string | null;
  readonly state: 'runs' | 'returned';
}

interface Move {
  /** Null: the frame returned; 'failed': it failed; 'ended': the run is over. */
  readonly frame: Frame | 'returned' | 'failed' | 'ended';
  readonly moments: readonly Moment[];
}

const MANUAL = 'Internal:ManualIntervention';
const at = (block: string, phase: Phase = 'entry'): Frame => ({
  block,
  phase,
  children: null,
  back: null,
  state: 'runs',
});

class Explorer {
  readonly #graph: Graph;
  readonly #rule: Rule;
  readonly #depth: number;
  readonly #blocks: ReadonlyMap<string, GraphBlock>;
  readonly #entries: ReadonlyMap<string, string>;

  constructor(graph: Graph, rule: Rule, depth: number) {
    this.#graph = graph;
    this.#rule = rule;
    this.#depth = depth;
    this.#blocks = new Map(graph.nodes.flatMap((node) => node.blocks).map((block) => [block.id, block]));
    this.#entries = new Map(graph.nodes.map((node) => [node.id, node.entryBlock]));
  }

  /** Returns true for a violation, false for none, and null if there are too many configurations. */
  run(most: number): boolean | null {
    const start = this.#entries.get(this.#graph.entry ?? '') ?? '';
    const seen = new Set<string>();
    const open: (readonly [Frame, boolean])[] = [[at(start), firstState(this.#rule)]];
    for (const [frame, isBad] of open) {
      for (const move of this.#moves(frame, 0)) {
        const done = move.frame === 'returned' ? [...move.moments, { kind: 'merged' } as const] : move.moments;
        let state: boolean | null = isBad;
        for (const moment of done) state = state === null ? null : watch(this.#rule, state, moment);
        if (state === null) return true;
        if (typeof move.frame === 'string') continue;
        const key = JSON.stringify([move.frame, state]);
        if (seen.has(key)) continue;
        if (seen.size >= most) return null;
        seen.add(key);
        open.push([move.frame, state]);
      }
    }
    return false;
  }

  #to(block: string | null, moments: readonly Moment[] = []): Move {
    return { frame: block === null ? 'returned' : at(block), moments };
  }

  #moves(frame: Frame, depth: number): readonly Move[] {
    return frame.children === null ? this.#ownMoves(frame, depth) : this.#childMoves(frame, frame.children, depth);
  }

  #childMoves(frame: Frame, children: readonly Frame[], depth: number): readonly Move[] {
    return children.flatMap((child, index) => {
      if (child.state === 'returned') return [];
      return this.#moves(child, depth + 1).map(({ frame: next, moments }): Move => {
        if (next === 'failed') return { frame: at(frame.block, 'failed'), moments };
        if (next === 'ended') return { frame: 'ended', moments };
        const ended = next === 'returned' ? { ...child, state: 'returned' as const } : next;
        const all = children.with(index, ended);
        if (all.some(({ state }) => state === 'runs')) return { frame: { ...frame, children: all }, moments };
        return this.#to(frame.back, moments);
      });
    });
  }

  #bypass(block: GraphBlock): readonly Move[] {
    if (this.#rule.personMayBypass) return [];
    return [this.#to(block.next), ...[...this.#blocks.keys()].map((id) => this.#to(id))];
  }

  #ownMoves(frame: Frame, depth: number): readonly Move[] {
    const block = this.#blocks.get(frame.block);
    if (block === undefined) throw new Error('no block');
    const execute = at(block.id, 'execute');
    switch (frame.phase) {
      case 'entry': {
        const limit: readonly Move[] = this.#canBeLong(block) ? [{ frame: 'failed', moments: [] }] : [];
        if (!block.gate) return [{ frame: execute, moments: [] }, ...limit];
        return [{ frame: execute, moments: [{ kind: 'approval', block }] }, ...this.#bypass(block), ...limit];
      }
      case 'execute': {
        const executed: Move = { frame: at(block.id, 'outcome'), moments: [{ kind: 'execution', block }] };
        return block.worker === MANUAL ? [executed, ...this.#bypass(block)] : [executed];
      }
      case 'outcome':
        return this.#outcomes(block, depth);
      case 'failed':
        return this.#lookUp(block, 'SIGNAL:ERROR', false, [], depth);
      case 'halted':
        return [{ frame: execute, moments: [] }, ...this.#bypass(block)];
    }
  }

  #outcomes(block: GraphBlock, depth: number): readonly Move[] {
    const { worker, transitions } = block;
    const named = transitions
      .map(({ signal }) => signal as string)
      .filter((signal) => signal !== 'SIGNAL:FAIL_DEFAULT');
    const takes = transitions.some(
      ({ signal, action }) =>
        signal === ('SIGNAL:REJECTED' as string) ||
        (signal === ('SIGNAL:FAIL_DEFAULT' as string) && action.kind !== 'halt'),
    );
    const every = [...named, 'SIGNAL:SUCCESS', 'SIGNAL:FAILURE', 'SIGNAL:AGAIN', 'SIGNAL:OTHER_ONE', 'SIGNAL:NEW'];
    const returned =
      worker === MANUAL
        ? ['SIGNAL:SUCCESS', ...(takes ? ['SIGNAL:REJECTED'] : [])]
        : worker === 'Internal:TestRunner'
          ? ['SIGNAL:SUCCESS', 'SIGNAL:FAILURE']
          : every;
    const engine = worker === MANUAL ? [] : ['SIGNAL:ERROR', 'SIGNAL:TIMEOUT'];
    const misread = worker.startsWith('Worker:') ? ['SIGNAL:NO_SIGNAL', 'SIGNAL:VALIDATION_FAIL'] : [];
    const ending = (signal: string): readonly Moment[] => [{ kind: 'end', block, signal }];
    return [
      ...returned.flatMap((signal) => this.#lookUp(block, signal, true, ending(signal), depth)),
      ...[...engine, ...misread].flatMap((signal) => this.#lookUp(block, signal, false, ending(signal), depth)),
    ];
  }

  #lookUp(
    block: GraphBlock,
    signal: string,
    byWorker: boolean,
    moments: readonly Moment[],
    depth: number,
  ): readonly Move[] {
    if (block.transitions.length === 0) return [{ frame: byWorker ? 'returned' : 'failed', moments }];
    const moves: Move[] = [];
    for (const wanted of [signal, 'SIGNAL:FAIL_DEFAULT'])
      for (const row of block.transitions) {
        if (row.signal !== wanted) continue;
        moves.push(...this.#follow(block, row, moments, depth));
        if (row.condition === null) return moves;
      }
    // A signal of a worker that no row handles ends the whole run; a signal of the engine ends only the frame.
    return [...moves, { frame: byWorker ? 'ended' : 'failed', moments }];
  }

  #follow(block: GraphBlock, { action }: Transition, moments: readonly Moment[], depth: number): readonly Move[] {
    switch (action.kind) {
      case 'jump':
        return [this.#to(action.target, moments)];
      case 'return':
        return [this.#to(null, moments)];
      case 'halt':
        return [{ frame: at(block.id, 'halted'), moments }];
      default:
        return this.#open(block, action, moments, depth);
    }
  }

  #open(
    block: GraphBlock,
    action: Extract<Action, { kind: 'call' | 'fork' }>,
    moments: readonly Moment[],
    depth: number,
  ): readonly Move[] {
    const nodes = action.kind === 'call' ? [action.node] : action.nodes;
    const refused: readonly Move[] = nodes.some((node) => this.#canBeDeep(node))
      ? [
          { frame: at(block.id, 'failed'), moments },
          { frame: 'failed', moments },
        ]
      : [];
    if (depth >= this.#depth) return refused;
    const children = nodes.map((node) => at(this.#entries.get(node) ?? ''));
    return [...refused, { frame: { ...at(block.id), children, back: action.returnTo }, moments }];
  }

  #inFrame(id: string): readonly string[] {
    return (this.#blocks.get(id)?.transitions ?? []).flatMap(({ action }) =>
      action.kind === 'jump'
        ? [action.target]
        : 'returnTo' in action && action.returnTo !== null
          ? [action.returnTo]
          : [],
    );
  }

  #called(id: string): readonly string[] {
    return (this.#blocks.get(id)?.transitions ?? []).flatMap(({ action }) =>
      (action.kind === 'call' ? [action.node] : action.kind === 'fork' ? action.nodes : []).map(
        (node) => this.#entries.get(node) ?? '',
      ),
    );
  }

  #reach(from: readonly string[], next: (id: string) => readonly string[]): ReadonlySet<string> {
    const reached = new Set(from);
    for (const id of reached) for (const one of next(id)) reached.add(one);
    return reached;
  }

  /** True if a frame can have visited more blocks than there are before this one. */
  #canBeLong({ id }: GraphBlock): boolean {
    if (!this.#rule.personMayBypass) return true;
    const next = (one: string): readonly string[] => this.#inFrame(one);
    const loops = [...this.#blocks.keys()].filter((one) => this.#reach(next(one), next).has(one));
    return this.#reach(loops, next).has(id);
  }

  #canBeDeep(node: string): boolean {
    const all = (one: string): readonly string[] => [...this.#inFrame(one), ...this.#called(one)];
    const callers = [...this.#blocks.keys()];
    const recursive = callers.flatMap((one) => this.#called(one).filter((entry) => this.#reach([entry], all).has(one)));
    const deep = this.#reach(recursive, all);
    const entry = this.#entries.get(node) ?? '';
    return recursive.includes(entry) || [...deep].some((one) => this.#called(one).includes(entry));
  }
}

/**
 * Decides a rule with one required atom by exploring every configuration up to a depth of calls: true if a run breaks
 * it, false if none does, null if there are more than `most` configurations.
 */
export const explore = (graph: Graph, rule: Rule, depth: number, most: number): boolean | null =>
  new Explorer(graph, rule, depth).run(most);
