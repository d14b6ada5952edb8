import type { AgentCalls } from './agent.ts';
import type { AiFact } from './ai-fact.ts';
import type { ModelCalls } from './ai-service.ts';
import type { Clock } from './clock.ts';
import type { ContextQueries } from './context-queries.ts';
import type { Conditions } from './condition.ts';
import type { EventListener, RunOutcome } from './event.ts';
import type { GraphBlock, SideEffects } from './graph.ts';
import type { BlockId, FramePath, HaltId, NodeId, RunId, SessionId, StepKey } from './id.ts';
import type { SegmentDraft } from './payload.ts';
import type { Answer, Failure, Halt, HaltReason, PathEntry, Response } from './response.ts';
import type { Outbound } from './outbound.ts';
import type { Script } from './script.ts';
import type { ChangePlan, Files, Processes } from './services.ts';
import type { Spent } from './spent.ts';
import type { MainFact, MainGuard, StepSnapshots } from './step-watch.ts';
import type { BlockMemory, CheckedResult, Worker } from './worker.ts';

/** Where a run starts: a node's entry block, or one block. */
export type Start = { readonly node: NodeId } | { readonly block: BlockId };

/** The outside world of a run, handed in by the composition root. */
export interface RunPorts {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Hexadecimal, of that many bytes. */
  readonly newId: (bytes: number) => string;
  /** Null in `simulate`. */
  readonly files: Files | null;
  /** Null in `simulate`. */
  readonly processes: Processes | null;
  /** Which of the files may leave this machine; without it, all. */
  readonly outbound?: Outbound;
  /** Of the run's session; none without one. */
  readonly changePlan?: ChangePlan;
  /** Code analysis; without it each query is answered with `no_active_server`. */
  readonly context?: ContextQueries;
  /** Without it no model is called: an AI worker needs a script. */
  readonly models?: ModelCalls;
  /** Without it no coding agent is started: an agent worker needs a script. */
  readonly agents?: AgentCalls;
  /** Of the worktree of the run's session; none elsewhere: nothing is ever restored there. */
  readonly snapshots?: StepSnapshots;
  /** Of the run's session; none without one. */
  readonly mainGuard?: MainGuard;
  /** Told of a worker that begins to execute, or to clean up: given up, it may go on for as long as it likes. */
  readonly onExecution?: (execution: Promise<unknown>) => void;
}

export interface RunOptions {
  readonly start: Start;
  /** Becomes the first segment, of type USER_INPUT. */
  readonly input?: string;
  /** Answers for scripted blocks and for halts; in `simulate` it covers every block. */
  readonly script?: Script;
  /** Answers of workers with `kind: "scripted"`, by worker. */
  readonly scripts?: ReadonlyMap<string, Script>;
  /** Looks at evidence instead of the engine: for tests. */
  readonly evidence?: FindEvidence;
  /** Halts before every block. */
  readonly stepMode?: boolean;
  /** The task of the work plan that it does: its key. */
  readonly task?: string;
  /** The session that it works for. */
  readonly session?: SessionId;
  /** The manifest's file, for people. */
  readonly source?: string;
  /** Workers beside the built-in ones and those of the manifest, by name; they beat both. */
  readonly workers?: ReadonlyMap<string, Worker>;
  /** Conditions beside the built-in ones. */
  readonly conditions?: Conditions;
  readonly onEvent?: EventListener;
  /** Sees every memory right before its execution: for tests and `--show-prompt`. */
  readonly onMemory?: (memory: BlockMemory) => void;
  /** The commands that answer a halt, for `details.halts[].answers`. */
  readonly answersFor?: (halt: HaltRequest, verbs: readonly Answer['verb'][]) => readonly string[];
}

export type AnswerOutcome =
  | { readonly accepted: true }
  | {
      readonly accepted: false;
      readonly why: 'unknown_halt' | 'not_allowed' | 'unknown_block';
      readonly allowed: readonly Answer['verb'][];
    };

/** A started run, as its owner holds it. */
export interface Run {
  readonly id: RunId;
  /** Resolves when the run has ended or can only go on with a person; again after each answer. Never rejects. */
  settled(): Promise<Response>;
  halts(): readonly Halt[];
  /** A second answer to the same halt is refused as `unknown_halt`. */
  answer(halt: HaltId, answer: Answer): AnswerOutcome;
  /** Ends it as `cancelled`; its workers are aborted. */
  cancel(): void;
  /** Stops it as `interrupted`, for a reason outside of it; its workers are aborted. It can be resumed. */
  interrupt(): void;
  /** Stops it as soon as what executes now has ended. It can be resumed. */
  pause(): void;
  /** Forgets a run that waits for a person, without a word: what its journal has is all there is to it. */
  release(): void;
  subscribe(listener: EventListener): () => void;
}

/** One execution of a worker as data, never a closure (spec/distributed.md "The seam"). */
export interface StepSpec {
  readonly worker: string;
  /** `repair`: the worker of a recovery policy, executed for the block's visit. `evidence`: the engine's own look at whether a success counts. */
  readonly role: 'block' | 'repair' | 'evidence';
  /** Which piece of the block's evidence, from 0; only with that role. */
  readonly piece?: number;
  readonly attempt: number;
  readonly memory: BlockMemory;
  /** Why it can't be executed: what it needs can't be read. That is what comes of it. */
  readonly refused?: Failure;
}

export type StepOutcome = {
  /** The class in force for this execution. */
  readonly sideEffects: SideEffects;
} & (
  | { readonly ok: true; readonly result: CheckedResult }
  | {
      readonly ok: false;
      readonly failure: Failure;
      /** Did the worker's `execute` begin? */ readonly started: boolean;
      /** What it had said until its time limit ended it. */ readonly append?: readonly SegmentDraft[];
    }
);

/** What is told of an execution beside what comes of it. */
export type OnStepFact = (fact: AiFact | MainFact) => void;

/** What came of one execution. `spent`: only where its result, or its failure, does not say so itself. */
export type Stepped = { readonly spent?: Spent } & (
  | { readonly kind: 'done'; readonly outcome: StepOutcome }
  /** It can't go on by itself: a person answers, or time does. */
  | { readonly kind: 'wait'; readonly why: HaltReason; readonly until: number | null; readonly message: string }
  /** It was cut off before it ended, and is safe to execute again; or a person took it back, perhaps with a word to the workers. */
  | { readonly kind: 'again'; readonly after: 'crash' | 'stop'; readonly guidance?: string }
);

/** With the time at which it was first known, in milliseconds since the epoch. */
export interface Known<Value> {
  readonly value: Value;
  readonly at: number;
}

export interface HaltRequest {
  readonly id: HaltId;
  readonly block: BlockId;
  readonly why: HaltReason;
}

export interface RunEnd {
  readonly outcome: RunOutcome;
  readonly failure: Failure | null;
}

/** A halt before it has an id. */
export interface HaltOpening {
  readonly block: BlockId;
  readonly why: HaltReason;
  /** It answers itself at this time; null: only a person does. */
  readonly until: number | null;
  /** Why, in the words of who asked for it; without them the block has said it. */
  readonly message?: string;
  /** What was said last, for people who look at the run from outside. */
  readonly last?: Halt['last'];
}

/**
 * The seam between machines and whatever executes and remembers: each frame is one sequential chain of steps.
 * CALL and FORK need nothing of it here: embedded, a child run is a child actor (spec/distributed.md).
 *
 * 1. What is remembered is given back in the order in which it was first known, one thing a turn, so that a replay takes the path of the run.
 * 2. Nothing new is executed before all that is remembered has been given back.
 * 3. A worker begins when its own intent and all results before it are safe.
 */
export interface RunContext {
  readonly runId: RunId;
  /** Resolves when all that is remembered has been given back; null when it has. */
  live(): Promise<void> | null;
  /** Is it known what came of this execution? Then its memory need not be assembled. */
  remembers(key: StepKey, attempt: number): boolean;
  /** Had this execution begun, and nothing more is known of it? */
  wasBegun(key: StepKey, attempt: number): boolean;
  /** By executions that were cut off, of which nothing else is remembered: each is one of these. */
  readonly spentBefore: readonly Spent[];
  /** Only of what it remembers. */
  recall(key: StepKey, attempt: number, signal: AbortSignal): Promise<Known<Stepped>>;
  /** `onProgress` and `onFact` are for people who watch, and are never remembered. */
  step(
    key: StepKey,
    spec: StepSpec,
    signal: AbortSignal,
    onProgress: (text: string) => void,
    onFact?: OnStepFact,
  ): Promise<Known<Stepped>>;
  /** The id is that of the halt that is remembered at this place, or a new one. */
  openHalt(key: StepKey, halt: HaltOpening): Known<HaltId>;
  /** The answer that is remembered; null when there is none. */
  recallAnswer(key: StepKey, halt: HaltId, signal: AbortSignal): Promise<Known<Answer>> | null;
  /** Keeps an accepted answer; gives its time. */
  keepAnswer(key: StepKey, halt: HaltId, answer: Answer): number;
  /** What frames hear in one turn of the event loop has no order that a replay could take again: resolves when it is this one's turn; null: now. */
  turn(frame: FramePath): Promise<void> | null;
  keepPath(entry: PathEntry): void;
  /** The run is over, for good or until it is resumed. */
  keepEnd(end: RunEnd): void;
  /** Does it when all that came before is safe: nobody outside hears of what a crash could take back. `trouble`: why it can't be, or why it does not count. */
  whenSafe(work: (trouble: Failure | null) => void): void;
}

/** Finds a worker by the name that a block uses; `block` is null for a repair worker. Null when there is nobody of that name. */
export type FindWorker = (name: string, block: BlockId | null) => Worker | null;

/** Who looks at a piece of a block's evidence. */
export type FindEvidence = (block: GraphBlock, piece: number) => Worker;
