import { isSuccess } from '#machines/run/conditions.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { BlockId, NodeId, Signal } from '#protocol/id.ts';
import type { PathStep } from '#protocol/rule-verdict.ts';
import type { ScriptedAnswer, ScriptEntry } from '#protocol/script.ts';
import { ERROR, REJECTED, SUCCESS } from '#protocol/signal.ts';
import { type Added, conditionsFor } from './assume.ts';
import { failingEntries } from './failing-entries.ts';
import { MANUAL } from './happenings.ts';
import type { Derivation } from './search.ts';
import { beginsVisit, type Edge, type Label, leavesEarly, LIMIT } from './system.ts';

/** A step of a path while it is traced. */
export interface TracedStep extends PathStep {
  signal: Signal | null;
  action: string | null;
  readonly answers: ScriptedAnswer[];
  /** What the step takes for granted. */
  readonly assumes: string[];
  /** The scripted executions of the step. */
  readonly entries: ScriptEntry[];
}

/** A frame of the path that is traced. */
export interface TracedFrame {
  readonly path: string;
  readonly depth: number;
  readonly visits: Map<BlockId, number>;
  readonly rejections: Map<BlockId, number>;
  visit: number;
  attempts: number;
  children: number;
  /** The signal of the last lookup. */
  signal: Signal | null;
  returned: readonly { readonly node: NodeId; readonly signal: Signal }[];
  /** The step of the current lookup. */
  step: TracedStep | null;
}

const newFrame = (path: string, depth: number): TracedFrame => ({
  path,
  depth,
  visits: new Map(),
  rejections: new Map(),
  visit: 0,
  attempts: 0,
  children: 0,
  signal: null,
  returned: [],
  step: null,
});

export const MOST_REJECTIONS = 3;

type Derive = (fact: number) => Derivation;

/** Follows derivations and writes down the path that they describe. */
export class Tracer {
  readonly steps: TracedStep[] = [];
  /** The steps of executions that have not ended. */
  readonly #executed = new Set<TracedStep>();
  readonly #added: Added = { exports: new Map(), types: new Set() };

  root(): TracedFrame {
    return newFrame('/', 0);
  }

  /** Returns the frame that the row of a lookup opens: a callee, or the branch of a FORK with this index. */
  child(frame: TracedFrame, label: Label, branch: number): TracedFrame {
    const action = label.kind === 'end' ? label.row?.action : undefined;
    const again = frame.children === 1 ? '' : `~${frame.children}`;
    const path = `${frame.path === '/' ? '' : frame.path}/${label.block.id}#${frame.visit}${again}`;
    return newFrame(action?.kind === 'fork' ? `${path}[${branch}]` : path, frame.depth + 1);
  }

  follow(fact: number, frame: TracedFrame, derive: Derive): void {
    for (let at: number | null = fact; at !== null;) {
      const derivation: Derivation = derive(at);
      if (derivation.kind === 'fork') return;
      this.note(derivation.edge, frame);
      if (derivation.kind === 'edge') return;
      if (derivation.kind === 'goto') at = derivation.next;
      else if (derivation.kind === 'inside') {
        this.#open(derivation.next, frame, derivation.edge.label, derive);
        return;
      } else {
        this.#open(derivation.callee, frame, derivation.edge.label, derive);
        at = derivation.after;
      }
    }
  }

  /** Lets the executions end at which the path, or a branch of it, stops. */
  finish(manual: ReadonlySet<BlockId>): void {
    for (const step of this.#executed)
      if (manual.has(step.block)) step.answers.push({ block: step.block, answer: 'proceed' });
      else step.entries.push({ signal: SUCCESS });
  }

  /** Traces the callee of a CALL, or the branches of a FORK in the order of their parts. */
  #open(fact: number, frame: TracedFrame, label: Label, derive: Derive): void {
    if (label.kind !== 'end') return;
    const action = label.row?.action;
    if (action?.kind === 'call') {
      const child = this.child(frame, label, 0);
      this.follow(fact, child, derive);
      frame.returned = [{ node: action.node, signal: child.signal ?? ERROR }];
      if (action.returnTo === null) frame.signal = child.signal;
      return;
    }
    const derivation = derive(fact);
    if (action?.kind !== 'fork' || derivation.kind !== 'fork') return;
    const signals = new Map<number, Signal | null>();
    for (const { branch, fact: part } of derivation.parts) {
      const child = this.child(frame, label, branch);
      this.follow(part, child, derive);
      signals.set(branch, child.signal);
    }
    frame.returned = action.nodes.map((node, branch) => ({ node, signal: signals.get(branch) ?? ERROR }));
    if (action.returnTo === null)
      frame.signal = (frame.returned.find(({ signal }) => !isSuccess(signal)) ?? frame.returned[0])?.signal ?? null;
  }

  /** Writes down what happens on an edge. */
  note(edge: Edge, frame: TracedFrame): void {
    const { label } = edge;
    if (beginsVisit(edge)) this.#begin(label.block, frame);
    if (edge.cost >= LIMIT) frame.step?.assumes.push(`a limit of steps or depth is reached at ${label.block.id}`);
    switch (label.kind) {
      case 'approve':
        this.#answer(frame, { block: label.block.id, answer: 'proceed' });
        if (frame.step !== null) this.#executed.add(frame.step);
        return;
      case 'execute':
        frame.attempts += 1;
        if (frame.step?.signal !== null) this.#step(label.block, frame);
        if (frame.step !== null) this.#executed.add(frame.step);
        return;
      case 'end':
        this.#end(label, frame);
        return;
      case 'answer':
        this.#leave(label, leavesEarly(edge), frame);
        return;
      case 'land':
        this.#land(label.block);
        return;
      case 'limit':
    }
  }

  #begin(block: GraphBlock, frame: TracedFrame): void {
    frame.visit = (frame.visits.get(block.id) ?? 0) + 1;
    frame.visits.set(block.id, frame.visit);
    frame.attempts = 0;
    frame.children = 0;
    this.#step(block, frame);
  }

  #step(block: GraphBlock, frame: TracedFrame): void {
    frame.step = {
      block: block.id,
      frame: frame.path,
      depth: frame.depth,
      signal: null,
      action: null,
      answers: [],
      assumes: [],
      entries: [],
    };
    this.steps.push(frame.step);
  }

  #answer({ step }: TracedFrame, answer: ScriptedAnswer): void {
    step?.answers.push(answer);
  }

  #end(label: Extract<Label, { kind: 'end' }>, frame: TracedFrame): void {
    const { block, signal, by, row } = label;
    if (by === 'child') this.#step(block, frame);
    const { step } = frame;
    if (step === null) return;
    step.signal = signal;
    this.#executed.delete(step);
    frame.signal = signal;
    step.action = row?.text ?? (by === 'worker' && block.transitions.length === 0 ? 'RETURN' : null);
    const { assumes, exports, append } = conditionsFor(label, frame, this.#added);
    step.assumes.push(...assumes);
    if (row?.action.kind === 'call' || row?.action.kind === 'fork') frame.children += 1;
    if (by === 'child') return;
    if (block.worker === MANUAL) this.#byHand(block, signal, frame);
    // A script can return a signal of the engine as well. Only where no row handles it, the execution has to fail.
    else if (by === 'engine' && row === null) this.#fail(block, signal, step);
    else step.entries.push({ signal, ...exports, ...append });
  }

  #fail(block: GraphBlock, signal: Signal, step: TracedStep): void {
    const entries = failingEntries(block, signal);
    if (entries === null) step.assumes.push(`${block.id} ends with ${signal}`);
    else step.entries.push(...entries);
  }

  #byHand(block: GraphBlock, signal: Signal, frame: TracedFrame): void {
    if (signal === SUCCESS) this.#answer(frame, { block: block.id, answer: 'proceed' });
    if (signal === ERROR) frame.step?.assumes.push(`the evidence of ${block.id} does not hold`);
    if (signal !== REJECTED) return;
    const count = (frame.rejections.get(block.id) ?? 0) + 1;
    frame.rejections.set(block.id, count);
    this.#answer(frame, { block: block.id, answer: 'reject', guidance: 'Not yet.' });
    if (count > (block.maxRejections ?? MOST_REJECTIONS))
      frame.step?.assumes.push(`${block.id} may be rejected ${count} times`);
  }

  #leave({ block, verb }: Extract<Label, { kind: 'answer' }>, isEarly: boolean, frame: TracedFrame): void {
    if (isEarly && frame.step?.signal !== null) this.#step(block, frame);
    this.#answer(frame, { block: block.id, answer: verb });
    const { step } = frame;
    // An answer to a halt after the execution has no lookup of its own.
    if (step?.signal !== null || verb === 'retry') return;
    step.action = verb === 'jump' ? 'JUMP:' : block.next === null ? 'RETURN' : `JUMP:${block.next}`;
  }

  #land({ id }: GraphBlock): void {
    const { steps } = this;
    const step = steps.at(-1);
    const jump = step?.answers.pop();
    if (step === undefined || jump === undefined) return;
    step.answers.push({ ...jump, to: id });
    if (step.action === 'JUMP:') step.action = `JUMP:${id}`;
  }
}

/** Returns the path to a fact. */
export function trace(
  fact: number,
  derivation: (fact: number) => Derivation,
  manual: ReadonlySet<BlockId>,
): readonly TracedStep[] {
  const tracer = new Tracer();
  tracer.follow(fact, tracer.root(), derivation);
  tracer.finish(manual);
  return tracer.steps;
}
