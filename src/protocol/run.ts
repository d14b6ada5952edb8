import type { Approvals } from './approvals.ts';
import type { AgentCalls } from './agent.ts';
import type { AiFact } from './ai-fact.ts';
import type { ModelCalls } from './ai-service.ts';
import type { Clock } from './clock.ts';
import type { ContextQueries } from './code-analysis.ts';
import type { Conditions } from './condition.ts';
import type { Environment } from './environment.ts';
import type { EventListener, RunOutcome } from './event.ts';
import type { PullRequests } from './forge.ts';
import type { GraphBlock, SideEffects } from './graph.ts';
import type { BlockId, FramePath, HaltId, NodeId, RunId, SessionId, StepKey } from './id.ts';
import type { SegmentDraft } from './payload.ts';
import type { Answer, Failure, Halt, HaltReason, PathEntry, Response } from './response.ts';
import type { Outbound } from './outbound.ts';
import type { Script } from './script.ts';
import type { ChangePlan, ChangeReader, Files, Processes } from './services.ts';
import type { Spent } from './spent.ts';
import type { MainFact, MainGuard, StepSnapshots } from './step-watch.ts';
import type { BlockMemory, CheckedResult, Worker } from './worker.ts';

/** Where a run starts: a node's entry block, or one block. */
export type Start = { readonly node: NodeId } | { readonly block: BlockId };

/** The ports through which a run reaches the outside world. The composition root provides them. */
export interface RunPorts {
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Returns a random id of that many bytes, in hexadecimal. */
  readonly newId: (bytes: number) => string;
  /** Null in `simulate`. */
  readonly files: Files | null;
  /** Null in `simulate`. */
  readonly processes: Processes | null;
  /** Decides which files may leave the machine. Without it, all may. */
  readonly outbound?: Outbound;
  /** The change plan of the run's session; absent without one. */
  readonly changePlan?: ChangePlan;
  /** The changes in the run's directory; absent in `simulate`. */
  readonly changes?: ChangeReader;
  /** The pull request of the run's session; absent without one. */
  readonly pullRequests?: PullRequests;
  /** Code analysis. Without it, each query returns `no_active_server`. */
  readonly context?: ContextQueries;
  /** Returns the title of a task of the work plan, or null. If absent, no run has a task title. */
  readonly taskTitle?: (key: string) => Promise<string | null>;
  /** Model calls. Without them, an AI worker needs a script. */
  readonly models?: ModelCalls;
  /** Coding agents. Without them, an agent worker needs a script. */
  readonly agents?: AgentCalls;
  /** Snapshots of a session's worktree; absent without a session, since nothing is restored then. */
  readonly snapshots?: StepSnapshots;
  /** The guard of the main checkout; absent without a session. */
  readonly mainGuard?: MainGuard;
  /** Shows a root actor, and all actors that it starts, to inspectors; absent if inspection is not possible. */
  readonly observe?: (name: string, root: object) => void;
  /** Receives the promise of each execution and clean-up, which may outlive the run. */
  readonly onExecution?: (execution: Promise<unknown>) => void;
}

export interface RunOptions {
  readonly start: Start;
  /** The text of the first segment, of type USER_INPUT. */
  readonly input?: string;
  /** Answers for scripted blocks and for halts. In `simulate`, the script must cover every block. */
  readonly script?: Script;
  /** Answers of workers with `kind: "scripted"`, by worker. */
  readonly scripts?: ReadonlyMap<string, Script>;
  /** Replaces the engine's evidence checks, for tests. */
  readonly evidence?: FindEvidence;
  /** Halts before every block. */
  readonly stepMode?: boolean;
  /** The most that agents may do without approval, whatever the manifest allows. */
  readonly approvals?: Approvals;
  /** The key of the work plan's task that the run does. */
  readonly task?: string;
  /** The session that the run works for. */
  readonly session?: SessionId;
  /** The manifest's path, for messages. */
  readonly source?: string;
  /** Workers by the names that blocks use. They take precedence over the built-in ones and those of the manifest. */
  readonly workers?: ReadonlyMap<string, Worker>;
  /** Conditions by id, beside the built-in ones. */
  readonly conditions?: Conditions;
  /** The environment of the command that starts or resumes the run; never stored. Absent: that of the engine. */
  readonly environment?: Environment;
  readonly onEvent?: EventListener;
  /** Receives the memory of each block right before the block's execution, for tests and `--show-prompt`. */
  readonly onMemory?: (memory: BlockMemory) => void;
  /** Returns the commands that answer a halt, for `details.halts[].answers`. */
  readonly answersFor?: (halt: HaltRequest, verbs: readonly Answer['verb'][]) => readonly string[];
}

/**
 * Why an answer was refused. `no_rejection_row`: the block's table has no row for a rejection. `rejections_used_up`:
 * `max_rejections` is reached. `reason_missing`: a rejection needs a reason.
 */
export type AnswerRefusal =
  'unknown_halt' | 'not_allowed' | 'unknown_block' | 'no_rejection_row' | 'rejections_used_up' | 'reason_missing';

/** Whether an answer to a halt was accepted; if not, why, and which verbs the halt accepts. */
export type AnswerOutcome =
  | { readonly accepted: true }
  | {
      readonly accepted: false;
      readonly why: AnswerRefusal;
      readonly allowed: readonly Answer['verb'][];
    };

/** A handle to a started run, for the code that started it. */
export interface Run {
  readonly id: RunId;
  /** Resolves when the run has ended or needs a person. Call it again after each answer. Never rejects. */
  settled(): Promise<Response>;
  halts(): readonly Halt[];
  /** Answers a halt. A second answer to the same halt is refused with `unknown_halt`. */
  answer(halt: HaltId, answer: Answer): AnswerOutcome;
  /** Ends the run as `cancelled` and aborts its workers. */
  cancel(): void;
  /** Stops the run as `interrupted` and aborts its workers. It can be resumed. */
  interrupt(): void;
  /** Stops the run as soon as the current executions have ended. It can be resumed. */
  pause(): void;
  /** Releases a waiting run from memory. Its journal is unchanged. */
  release(): void;
  subscribe(listener: EventListener): () => void;
}

/** One execution of a worker as data, never a closure, so that another backend can execute it. */
export interface StepSpec {
  readonly worker: string;
  /**
   * What the execution is for. `repair`: the worker of a recovery policy, executed for the block's visit. `evidence`:
   * the engine's own check of a success.
   */
  readonly role: 'block' | 'repair' | 'evidence';
  /** The index of the piece of evidence, from 0. Set only if `role` is `evidence`. */
  readonly piece?: number;
  readonly attempt: number;
  readonly memory: BlockMemory;
  /** If something that the execution needs can't be read: the failure that is recorded instead of an execution. */
  readonly refused?: Failure;
}

export type StepOutcome = {
  /** The class of side effects that applies to this execution. */
  readonly sideEffects: SideEffects;
} & (
  | { readonly ok: true; readonly result: CheckedResult }
  | {
      readonly ok: false;
      readonly failure: Failure;
      /** Whether the worker's `execute` was called. */ readonly started: boolean;
      /** The segments that it had returned before its time limit. */ readonly append?: readonly SegmentDraft[];
    }
);

/** Receives the facts that an execution reports besides its outcome. */
export type OnStepFact = (fact: AiFact | MainFact) => void;

/** The outcome of one execution. `spent` is present only if neither result nor failure states it. */
export type StepResult = { readonly spent?: Spent } &
  /** `mainChanged`: the changes of the main checkout during the execution, if they halt the run. */
  (
    | { readonly kind: 'done'; readonly outcome: StepOutcome; readonly mainChanged?: string }
    /** The execution waits for a person, or until a time. */
    | { readonly kind: 'wait'; readonly why: HaltReason; readonly until: number | null; readonly message: string }
    /** The execution was cut off and is safe to repeat, or a person rolled it back, perhaps with guidance. */
    | { readonly kind: 'again'; readonly after: 'crash' | 'stop'; readonly guidance?: string }
  );

/** A value with the time at which it was first known, in milliseconds since the epoch. */
export interface TimedValue<Value> {
  readonly value: Value;
  readonly at: number;
}

export interface HaltRequest {
  readonly id: HaltId;
  readonly block: BlockId;
  readonly why: HaltReason;
}

interface RunEnd {
  readonly outcome: RunOutcome;
  readonly failure: Failure | null;
}

/** The data of a halt that has no id yet. */
export interface HaltOpening {
  readonly block: BlockId;
  readonly why: HaltReason;
  /** The time at which the halt answers itself; null if only a person can answer it. */
  readonly until: number | null;
  /** The message of what caused the halt; absent if the block itself requested it. */
  readonly message?: string;
  /** The number of rejections that are left. Absent if the halt does not accept `reject`. */
  readonly rejections_left?: number;
  /** The last output, for display. */
  readonly last?: Halt['last'];
}

/**
 * The interface between the machines and the backend that executes steps and remembers their results. Each frame is one
 * sequential chain of steps. CALL and FORK need no method here, because a child frame is a child actor. 1. Remembered
 * values are returned in the order in which they first became known, each after the lookups that preceded it. A replay
 * therefore takes the same path as the run, regardless of the number of event loop turns. 2. No new step is executed
 * before all remembered values have been returned. 3. A worker starts only when its own intent and all earlier results
 * are safely stored.
 */
export interface RunContext {
  readonly runId: RunId;
  /**
   * Resolves when all remembered values have been returned; null if that is already the case. A visit that counts as
   * moving passes its signal while it waits.
   */
  live(signal?: AbortSignal): Promise<void> | null;
  /**
   * Passes a function that returns `RunState.moving`. A replay calls it to detect that no visit can continue by itself.
   */
  watchMoving?(moving: () => number): void;
  /** Returns whether the outcome of this execution is remembered. If so, the caller need not assemble its memory. */
  remembers(key: StepKey, attempt: number): boolean;
  /** Returns whether this execution had begun before a crash or stop and has no remembered outcome. */
  wasBegun(key: StepKey, attempt: number): boolean;
  /** Usage of executions that were cut off, one entry each. */
  readonly spentBefore: readonly Spent[];
  /** Returns a remembered outcome. */
  recall(key: StepKey, attempt: number, signal: AbortSignal): Promise<TimedValue<StepResult>>;
  /** Executes a step. `onProgress` and `onFact` are for observers and are never remembered. */
  step(
    key: StepKey,
    spec: StepSpec,
    signal: AbortSignal,
    onProgress: (text: string) => void,
    onFact?: OnStepFact,
  ): Promise<TimedValue<StepResult>>;
  /** Opens a halt. Its id is the one remembered for this step, or a new one. */
  openHalt(key: StepKey, halt: HaltOpening): TimedValue<HaltId>;
  /** Returns the remembered answer, or null if there is none. `isMoving`: the visit counts as moving while it waits. */
  recallAnswer(key: StepKey, halt: HaltId, signal: AbortSignal, isMoving: boolean): Promise<TimedValue<Answer>> | null;
  /** Stores an accepted answer and returns its time. */
  keepAnswer(key: StepKey, halt: HaltId, answer: Answer): number;
  /**
   * Resolves when this frame may continue; null if it may continue now. Frames continue one at a time: if several
   * continued in the same turn of the event loop, a replay could not repeat their order.
   */
  turn(frame: FramePath): Promise<void> | null;
  /** Returns the time until which the execution after this one is delayed; null if none is remembered. */
  recallDelay(key: StepKey, attempt: number): number | null;
  /** Records that the execution after this one is delayed until a time. */
  keepDelay(key: StepKey, attempt: number, until: number): void;
  keepPath(entry: PathEntry): void;
  /** Records the end of the run, whether final or resumable. */
  keepEnd(end: RunEnd): void;
  /**
   * Calls `work` once everything recorded so far is safely stored, so that nothing becomes visible outside that a crash
   * could undo. `trouble` is the reason if it can't be stored.
   */
  whenSafe(work: (trouble: Failure | null) => void): void;
}

/**
 * Finds a worker by the name that a block uses; `block` is null for a repair worker. Returns null if there is none.
 */
export type FindWorker = (name: string, block: BlockId | null) => Worker | null;

/** Returns the worker that checks a piece of a block's evidence. */
export type FindEvidence = (block: GraphBlock, piece: number) => Worker;

type RefusedAnswer = Omit<Extract<AnswerOutcome, { accepted: false }>, 'accepted'>;

/** Returns the message for a person whose answer to a halt was refused. */
export function refusedAnswerText({ why, allowed }: RefusedAnswer): string {
  const possible = `Possible answers are ${allowed.join(', ')}.`;
  switch (why) {
    case 'unknown_halt':
      return 'This halt was already answered, or is no longer open.';
    case 'not_allowed':
      return `This answer is not possible here. ${possible}`;
    case 'unknown_block':
      return 'The manifest has no such block.';
    case 'no_rejection_row':
      return `The block has no row that says where a rejection leads: add { "on_signal": "SIGNAL:REJECTED", "action": "JUMP:<block>" } to its transitions. ${possible}`;
    case 'rejections_used_up':
      return `The work was rejected here as often as "max_rejections" of the block allows. ${possible}`;
    case 'reason_missing':
      return 'A rejection needs a reason, which the next block reads as guidance.';
  }
}
