import { type Json, objectOr } from './json-reading.ts';
import type { JsonObject } from '#protocol/json.ts';
import { ENDS_RUN, type HaltReason, type PathEntry, type Reason } from '#protocol/response.ts';
import { appendSegments, applyResult, joinBranches, repairLayer, takeReturn } from './apply-result.ts';
import { assembleMemory, handledSignals } from './assemble-memory.ts';
import { chooseRecovery } from './choose-recovery.ts';
import { evaluateCondition, lookUp } from './evaluate-condition.ts';
import { compareFrames, freshRecovery, stepKeyOf, type Frame, type StoredSegment, type Visit } from './frame.ts';
import type { Condition, Program, ProgramAction, ProgramBlock } from './program.ts';
import { judgeReturned } from './judge-returned.ts';
import { failedView, returnedView, worstSignal } from './returned.ts';
import { ScriptReader, type HaltAnswer } from './script-reader.ts';
import { executionOf, repairOf, type Execution, type FrameFailure, type Result } from './scripted-execution.ts';
import type { InterpreterRequest, OwnTurn } from './turn.ts';

/** An event of one frame that is scheduled for a moment of virtual time. */
interface Pending {
  readonly at: number;
  readonly frame: Frame;
  readonly happen: () => void;
}

interface Waiting {
  readonly frame: Frame;
  readonly why: HaltReason;
}

export interface Ending {
  readonly reason: Reason | null;
  readonly details: JsonObject;
}

type Children = Extract<ProgramAction, { kind: 'call' | 'fork' }>;

/** The signal for which a row is looked up. */
interface Answer {
  readonly signal: string;
  /** The failure with which the frame ends if no row handles a signal of the engine; null for a worker's signal. */
  readonly failure: FrameFailure | null;
  /** True if a child frame failed, so that no worker is involved. */
  readonly ofChild?: true;
  /** True if the child was refused because of `max_depth`. */
  readonly refused?: true;
}

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  flagged: ['retry', 'next', 'jump', 'abort'],
  gate: ['proceed', 'retry', 'next', 'jump', 'abort'],
  step: ['proceed', 'retry', 'next', 'jump', 'abort'],
  evidence: ['retry', 'next', 'jump', 'abort'],
  manual: ['proceed', 'next', 'jump', 'abort'],
};

const MANUAL = 'Internal:ManualIntervention';
const VERDICT = 'Internal:Verdict';

const failure = (reason: Reason, details: JsonObject = {}): FrameFailure => ({ reason, details });

/** One run in virtual time. Every method ends with a pending event, a halt, or the end of the run. */
export class Simulation {
  readonly path: PathEntry[] = [];
  readonly root: Frame;
  steps = 0;
  deepest = 0;
  readonly #program: Program;
  readonly #script: ScriptReader;
  readonly #request: InterpreterRequest;
  readonly #pending = new Map<Frame, Pending>();
  readonly #waiting = new Map<Frame, Waiting>();
  #now = 0;
  #visits = 0;
  #ending: Ending | null = null;

  constructor(program: Program, script: JsonObject, request: InterpreterRequest, node: string) {
    this.#program = program;
    this.#script = new ScriptReader(script);
    this.#request = request;
    this.root = this.#newFrame(null, node, '/', []);
    const given = this.#giveInputs(request.input);
    if (given !== undefined) {
      const input: StoredSegment = {
        id: 'run/input.1',
        type: 'USER_INPUT',
        content: given,
        source: null,
        meta: {},
      };
      this.root.payload = [input];
    }
  }

  /**
   * Stores the declared inputs as exports of the root frame and returns their text. Free text is returned unchanged.
   */
  #giveInputs(text: string | undefined): string | undefined {
    const declared = [...this.#program.inputs];
    if (declared.length === 0) return text;
    const given = objectOr(JSON.parse(text ?? '{}') as Json);
    const values = declared.map(([name, fallback]) => [name, given[name] ?? fallback] as const);
    this.root.exports = new Map(values);
    const lines = values.map(([name, value]) => {
      const shown = typeof value === 'string' ? value : JSON.stringify(value);
      return values.length === 1 ? shown : `${name}: ${shown}`;
    });
    return lines.join('\n');
  }

  run(block: string): Ending {
    this.#enter(this.root, block);
    while (this.#ending === null) this.#advance();
    return this.#ending;
  }

  /**
   * Executes the earliest pending event. Of several at the same time, executes the one with the first frame path (point
   * 25 of docs/decisions/2026-11-21-run-semantics.md).
   */
  #advance(): void {
    const [next] = [...this.#pending.values()].sort((a, b) => a.at - b.at || compareFrames(a.frame, b.frame));
    if (next === undefined) {
      this.#ending = { reason: 'halted', details: { halts: this.#halts() } };
      return;
    }
    this.#pending.delete(next.frame);
    this.#now = next.at;
    next.happen();
  }

  #halts(): readonly JsonObject[] {
    return [...this.#waiting.values()]
      .sort((a, b) => compareFrames(a.frame, b.frame))
      .map(({ frame, why }) => ({ block: frame.visit?.block.id ?? '', frame: frame.path, why }));
  }

  #after(delayMs: number, frame: Frame, happen: () => void): void {
    this.#pending.set(frame, { at: this.#now + delayMs, frame, happen });
  }

  // Frames and visits

  #newFrame(parent: Frame | null, node: string, path: string, order: readonly number[]): Frame {
    const depth = parent === null ? 0 : parent.depth + 1;
    this.deepest = Math.max(this.deepest, depth);
    return {
      path,
      depth,
      parent,
      called: node,
      order,
      branch: path.slice(0, path.lastIndexOf(']') + 1),
      node: this.#node(node),
      payload: parent?.payload ?? [],
      exports: parent?.exports ?? new Map(),
      written: new Map(),
      visits: new Map(),
      rejections: new Map(),
      steps: 0,
      visit: null,
      children: null,
      isBack: false,
      signal: null,
      returned: [],
    };
  }

  #node(id: string): Frame['node'] {
    const node = this.#program.nodes.get(id);
    if (node === undefined) throw new Error(`no such node: ${id}`);
    return node;
  }

  #block(id: string): ProgramBlock {
    const block = this.#program.blocks.get(id);
    if (block === undefined) throw new Error(`no such block: ${id}`);
    return block;
  }

  /**
   * Begins a visit. The run's step limit is checked before the frame's, and both before any halt (points 3 and 19 of
   * docs/decisions/2026-11-21-run-semantics.md).
   */
  #enter(frame: Frame, id: string): void {
    const block = this.#block(id);
    frame.node = this.#node(block.node);
    const { maxRunSteps } = this.#program;
    const { maxSteps } = frame.node;
    if (this.#visits >= maxRunSteps) {
      this.#show(frame, id, { kind: 'limit', endsRun: true });
      return this.#fail(frame, id, failure('max_run_steps_exceeded', { max_run_steps: maxRunSteps }));
    }
    if (frame.steps >= maxSteps) {
      this.#show(frame, id, { kind: 'limit', endsRun: false });
      return this.#fail(frame, id, failure('max_steps_exceeded', { max_steps: maxSteps }));
    }
    this.#visits += 1;
    frame.steps += 1;
    const number = (frame.visits.get(id) ?? 0) + 1;
    frame.visits.set(id, number);
    frame.visit = {
      block,
      number,
      key: stepKeyOf(frame, id, number),
      step: null,
      attempts: 0,
      openings: 0,
      segments: 0,
      recovery: freshRecovery(),
      layer: [],
      repaired: null,
      evidence: [],
      unproven: false,
      phase: 'before',
    };
    if (block.gate) return this.#halt(frame, frame.visit, 'gate');
    if (this.#request.stepMode === true) return this.#halt(frame, frame.visit, 'step');
    this.#execute(frame, frame.visit);
  }

  // Executions and recovery

  #execute(frame: Frame, visit: Visit): void {
    if (visit.block.worker.name === MANUAL && !this.#script.has(visit.block.id))
      return this.#halt(frame, visit, 'manual');
    visit.phase = 'executing';
    visit.attempts += 1;
    visit.evidence = [];
    visit.recovery.executions += 1;
    this.#showMemory(frame, visit);
    const execution = this.#executionOf(frame, visit.block);
    this.#after(execution.durationMs, frame, () => {
      this.#finish(frame, visit, execution);
    });
  }

  /** Returns the outcome of an execution. A verdict is computed unless the script names its block or the worker. */
  #executionOf(frame: Frame, block: ProgramBlock): Execution {
    const { id, worker, params } = block;
    if (worker.name === VERDICT && !this.#script.has(id) && !this.#script.has(VERDICT))
      return judgeReturned(params, frame.returned);
    return executionOf(this.#script.nextExecution(frame.branch, id, worker.name), block);
  }

  #showMemory(frame: Frame, visit: Visit): void {
    if (this.#request.onMemory === undefined) return;
    const memory = assembleMemory(frame, visit);
    visit.layer = memory.payload;
    this.#request.onMemory(memory);
  }

  #finish(frame: Frame, visit: Visit, execution: Execution): void {
    const { outcome } = execution;
    if (!outcome.ok) return this.#recover(frame, visit, outcome.failure, execution.sideEffects);
    const { signal, byEngine } = outcome.result;
    if (signal === 'SIGNAL:SUCCESS' && visit.block.evidence.length > 0) {
      return this.#prove(frame, visit, outcome.result, execution);
    }
    applyResult(frame, visit, outcome.result);
    visit.unproven = false;
    this.#answer(frame, visit, { signal, failure: byEngine ? failure('worker_contract_violation') : null });
  }

  /**
   * Checks the evidence of a result. Its segments are kept in any case, its exports only if the evidence holds (point
   * 30 of docs/decisions/2026-11-21-run-semantics.md).
   */
  #prove(frame: Frame, visit: Visit, result: Result, { evidenceFails, sideEffects }: Execution): void {
    applyResult(frame, visit, { ...result, exports: evidenceFails === null ? result.exports : new Map() });
    this.#lookAtEvidence(visit, evidenceFails);
    if (evidenceFails === null) return this.#answer(frame, visit, { signal: result.signal, failure: null });
    appendSegments(frame, visit, [{ type: 'EVIDENCE_FAILED', content: evidenceFails }]);
    this.#recover(frame, visit, failure('evidence_failed'), sideEffects);
  }

  /** Records the outcome of each evidence check. A failure in the script always applies to the first check. */
  #lookAtEvidence(visit: Visit, fails: string | null): void {
    visit.unproven = false;
    visit.evidence = visit.block.evidence.map((check, piece) => ({ check, held: piece > 0 || fails === null }));
  }

  /** Applies the next policy to an execution that failed at a time, from which the delay of a retry counts. */
  #recover(frame: Frame, visit: Visit, failed: FrameFailure, sideEffects: string, failedAt = this.#now): void {
    const choice = chooseRecovery(visit.block.recovery, failed.reason, visit.recovery);
    if (choice.kind === 'give_up') return this.#answerFailure(frame, visit, failed, failed.reason);
    const mayRepeat = choice.kind === 'retry' && choice.repeatsEffects && failed.reason === 'evidence_failed';
    if (sideEffects === 'non_idempotent' && !mayRepeat) {
      return this.#answerFailure(
        frame,
        visit,
        failure('unsafe_to_retry', { cause: { reason: failed.reason } }),
        failed.reason,
      );
    }
    if (choice.kind === 'retry') {
      this.#after(Math.max(0, failedAt + choice.delayMs - this.#now), frame, () => {
        this.#execute(frame, visit);
      });
      return;
    }
    const entry = this.#script.nextRepair(frame.branch, visit.block.id, choice.worker);
    const repair = repairOf(entry, visit.block);
    this.#after(repair.durationMs, frame, () => {
      this.#finishRepair(frame, visit, repair, failed, sideEffects, failedAt);
    });
  }

  #finishRepair(
    frame: Frame,
    visit: Visit,
    repair: Execution,
    failed: FrameFailure,
    sideEffects: string,
    failedAt: number,
  ): void {
    const { outcome } = repair;
    if (!outcome.ok || outcome.result.signal !== 'SIGNAL:SUCCESS')
      return this.#recover(frame, visit, failed, sideEffects, failedAt);
    repairLayer(visit, outcome.result);
    visit.recovery.executions = 0;
    this.#execute(frame, visit);
  }

  #answerFailure(frame: Frame, visit: Visit, failed: FrameFailure, first: Reason): void {
    visit.unproven = failed.reason === 'evidence_failed';
    this.#answer(frame, visit, { signal: first === 'timeout' ? 'SIGNAL:TIMEOUT' : 'SIGNAL:ERROR', failure: failed });
  }

  // Look-up and action

  #answer(frame: Frame, visit: Visit, answer: Answer): void {
    visit.phase = 'left';
    this.#showLookUp(frame, visit, answer);
    const { rows } = visit.block;
    if (rows.length === 0 && answer.failure === null) {
      this.#record(frame, visit, answer.signal, 'none', 'RETURN');
      return this.#leave(frame);
    }
    const found = lookUp(rows, answer.signal, { frame, visit, signal: answer.signal });
    if (found === null) {
      this.#record(frame, visit, answer.signal, 'none', null);
      if (answer.failure !== null) return this.#fail(frame, visit.block.id, answer.failure);
      const handled = handledSignals(visit.block);
      return this.#fail(frame, visit.block.id, failure('no_transition', { signal: answer.signal, handled }));
    }
    const { action } = found.row;
    if (answer.refused === true && (action.kind === 'call' || action.kind === 'fork')) {
      this.#record(frame, visit, answer.signal, 'none', null);
      return this.#fail(frame, visit.block.id, failure('max_depth_exceeded', { max_depth: this.#program.maxDepth }));
    }
    this.#record(frame, visit, answer.signal, found.via, action.text);
    this.#act(frame, visit, action);
  }

  #show(frame: Frame, block: string, turn: OwnTurn): void {
    this.#request.onTurn?.({ ...turn, frame: frame.path, block });
  }

  /**
   * Reports a look-up together with the current facts for conditions. They are evaluated now, because frame and visit
   * are mutable.
   */
  #showLookUp(frame: Frame, visit: Visit, { signal, failure: failed, ofChild }: Answer): void {
    const facts = { frame: { ...frame }, visit: { ...visit }, signal };
    const holds = (condition: Condition): boolean => evaluateCondition(condition, facts);
    const turn: OwnTurn =
      ofChild === true ? { kind: 'child_failed', holds } : { kind: 'signal', signal, byEngine: failed !== null, holds };
    this.#show(frame, visit.block.id, turn);
  }

  #record(frame: Frame, visit: Visit, signal: string | null, via: PathEntry['via'], action: string | null): void {
    if (visit.step === null) {
      this.steps += 1;
      visit.step = this.steps;
    }
    const { step, attempts, number, block } = visit;
    const entry = {
      step,
      frame: frame.path,
      depth: frame.depth,
      node: block.node,
      block: block.id,
      visit: number,
      attempts,
      signal,
      via,
      action,
      ...(visit.evidence.length === 0 ? {} : { evidence: visit.evidence }),
    };
    visit.evidence = [];
    frame.signal = signal;
    this.path.push(entry as PathEntry);
  }

  #act(frame: Frame, visit: Visit, action: ProgramAction): void {
    switch (action.kind) {
      case 'jump':
        return this.#enter(frame, action.to);
      case 'return':
        return this.#leave(frame);
      case 'halt':
        return this.#halt(frame, visit, visit.unproven ? 'evidence' : 'flagged');
      case 'call':
      case 'fork':
        return this.#open(frame, visit, action);
    }
  }

  // Children

  #open(frame: Frame, visit: Visit, action: Children): void {
    if (frame.depth + 1 > this.#program.maxDepth) {
      visit.unproven = false;
      frame.returned = action.nodes.map(failedView);
      return this.#answer(frame, visit, {
        signal: 'SIGNAL:ERROR',
        failure: failure('max_depth_exceeded', { max_depth: this.#program.maxDepth }),
        ofChild: true,
        refused: true,
      });
    }
    visit.openings += 1;
    const base = `${frame.path === '/' ? '' : frame.path}/${visit.block.id}#${String(visit.number)}`;
    const path = visit.openings === 1 ? base : `${base}~${String(visit.openings)}`;
    const frames = action.nodes.map((node, index) =>
      action.kind === 'call'
        ? this.#newFrame(frame, node, path, frame.order)
        : this.#newFrame(frame, node, `${path}[${String(index)}]`, [...frame.order, index]),
    );
    frame.children = { kind: action.kind, frames, returnTo: action.returnTo };
    for (const child of frames) {
      if (this.#ending === null) this.#enter(child, child.node.entry);
    }
  }

  #leave(frame: Frame): void {
    frame.isBack = true;
    const caller = frame.parent;
    const children = caller?.children ?? null;
    if (caller === null || children === null) {
      this.#ending = { reason: null, details: {} };
      return;
    }
    const { kind, frames, returnTo } = children;
    if (!frames.every((child) => child.isBack)) return;
    caller.children = null;
    if (kind === 'call') takeReturn(caller, frame);
    else joinBranches(caller, frames);
    caller.returned = frames.map(returnedView);
    caller.signal = worstSignal(caller.returned);
    if (returnTo === null) return this.#leave(caller);
    this.#enter(caller, returnTo);
  }

  #fail(frame: Frame, block: string, { reason, details }: FrameFailure): void {
    const failed = failure(reason, { ...details, block, frame: frame.path });
    const caller = frame.parent;
    const visit = caller?.visit ?? null;
    if (caller === null || visit === null || ENDS_RUN.has(reason)) return this.#endRun(failed);
    caller.returned = (caller.children?.frames ?? []).map((child) =>
      child.isBack ? returnedView(child) : failedView(child.called),
    );
    this.#cancel(caller);
    visit.unproven = false;
    this.#answer(caller, visit, { signal: 'SIGNAL:ERROR', failure: failed, ofChild: true });
  }

  /**
   * Cancels all frames below a frame. Visits in progress get a path entry, in the order of the branch indexes (point 5
   * of docs/decisions/2026-11-21-run-semantics.md).
   */
  #cancel(top: Frame): void {
    for (const child of top.children?.frames ?? []) {
      this.#cancel(child);
      this.#pending.delete(child);
      this.#waiting.delete(child);
      this.#recordCancelled(child);
    }
    top.children = null;
  }

  #recordCancelled(frame: Frame): void {
    const { visit } = frame;
    if (visit === null || (visit.phase !== 'before' && visit.phase !== 'executing')) return;
    visit.phase = 'left';
    this.#record(frame, visit, null, 'none', null);
  }

  #endRun(ending: Ending): void {
    this.#cancel(this.root);
    this.#recordCancelled(this.root);
    this.#ending = ending;
  }

  // Halts

  #halt(frame: Frame, visit: Visit, why: HaltReason): void {
    visit.phase = why === 'flagged' || why === 'evidence' ? 'flagged' : 'before';
    this.#waiting.set(frame, { frame, why });
    this.#after(0, frame, () => {
      const answer = this.#script.takeAnswer(visit.block.id);
      if (answer === null) return;
      if (
        answer.answer === 'reject' ? this.#mayReject(frame, visit, why, answer) : ALLOWED[why]?.includes(answer.answer)
      )
        this.#answerHalt(frame, visit, why, answer);
    });
  }

  /**
   * Returns whether a person may reject the work at a halt: it waits for manual work, a row handles the rejection, a
   * reason is given, and the block's limit of rejections is not reached.
   */
  #mayReject({ rejections }: Frame, { block }: Visit, why: HaltReason, { guidance }: HaltAnswer): boolean {
    const leads = block.rows.some(
      ({ signal, action }) =>
        signal === 'SIGNAL:REJECTED' || (signal === 'SIGNAL:FAIL_DEFAULT' && action.kind !== 'halt'),
    );
    const isLeft = (rejections.get(block.id) ?? 0) < block.maxRejections;
    return why === 'manual' && leads && isLeft && (guidance ?? '').trim() !== '';
  }

  #answerHalt(frame: Frame, visit: Visit, why: HaltReason, { answer, to, guidance }: HaltAnswer): void {
    this.#waiting.delete(frame);
    const isShown = why !== 'manual' || (answer !== 'proceed' && answer !== 'reject');
    if (isShown) this.#show(frame, visit.block.id, { kind: 'answer', answer, to });
    const meta = answer === 'reject' ? { meta: { rejected: true } } : {};
    if (guidance !== null) appendSegments(frame, visit, [{ type: 'HUMAN_GUIDANCE', content: guidance, ...meta }]);
    switch (answer) {
      case 'abort':
        return this.#endRun({ reason: 'cancelled', details: {} });
      case 'reject':
        frame.rejections.set(visit.block.id, (frame.rejections.get(visit.block.id) ?? 0) + 1);
        return this.#answer(frame, visit, { signal: 'SIGNAL:REJECTED', failure: null });
      case 'next':
        return this.#leaveVisit(frame, visit, visit.block.next);
      case 'jump':
        return this.#leaveVisit(frame, visit, to);
      default:
        if (why === 'manual') {
          this.#lookAtEvidence(visit, null);
          return this.#answer(frame, visit, { signal: 'SIGNAL:SUCCESS', failure: null });
        }
        visit.recovery = freshRecovery();
        visit.repaired = null;
        return this.#execute(frame, visit);
    }
  }

  /**
   * Leaves a visit through `next` or `jump`. A visit that has not been executed gets a path entry of its own (point 21
   * of docs/decisions/2026-11-21-run-semantics.md).
   */
  #leaveVisit(frame: Frame, visit: Visit, to: string | null): void {
    const action = to === null ? 'RETURN' : `JUMP:${to}`;
    if (visit.phase === 'before') this.#record(frame, visit, null, 'none', action);
    visit.phase = 'left';
    if (to === null) return this.#leave(frame);
    this.#enter(frame, to);
  }
}
