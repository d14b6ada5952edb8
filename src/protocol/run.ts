import type { Clock } from './clock.ts';
import type { Conditions } from './condition.ts';
import type { EventListener } from './event.ts';
import type { SideEffects } from './graph.ts';
import type { BlockId, HaltId, NodeId, RunId, StepKey } from './id.ts';
import type { Answer, Failure, Halt, HaltReason, Response } from './response.ts';
import type { Script } from './script.ts';
import type { Files, Processes } from './services.ts';
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
}

export interface RunOptions {
  readonly start: Start;
  /** Becomes the first segment, of type USER_INPUT. */
  readonly input?: string;
  /** Answers for scripted blocks and for halts; in `simulate` it covers every block. */
  readonly script?: Script;
  /** Answers of workers with `kind: "scripted"`, by worker. */
  readonly scripts?: ReadonlyMap<string, Script>;
  /** Halts before every block. */
  readonly stepMode?: boolean;
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
  /** Stops it as `interrupted`, for a reason outside of it; its workers are aborted. */
  interrupt(): void;
  subscribe(listener: EventListener): () => void;
}

/** One execution of a worker as data, never a closure (spec/distributed.md "The seam"). */
export interface StepSpec {
  readonly worker: string;
  /** `repair`: the worker of a recovery policy, executed for the block's visit. */
  readonly role: 'block' | 'repair';
  readonly attempt: number;
  readonly memory: BlockMemory;
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
    }
);

export interface HaltRequest {
  readonly id: HaltId;
  readonly block: BlockId;
  readonly why: HaltReason;
}

/**
 * The seam between machines and whatever executes and remembers: each frame is one sequential chain of steps.
 * `step` is memoised by key and attempt where a journal is; `ask` waits for a person.
 * CALL and FORK need nothing of it here: embedded, a child run is a child actor (spec/distributed.md).
 */
export interface RunContext {
  readonly runId: RunId;
  /** `onProgress` is for people who watch, and is never remembered. */
  step(key: StepKey, spec: StepSpec, signal: AbortSignal, onProgress: (text: string) => void): Promise<StepOutcome>;
  /** Resolves with the accepted answer; never, when the signal aborts first. */
  ask(key: StepKey, halt: HaltRequest, signal: AbortSignal): Promise<Answer>;
  /** Hands an accepted answer to the `ask` that waits for it. */
  answer(halt: HaltId, answer: Answer): void;
}

/** Finds a worker by the name that a block uses; `block` is null for a repair worker. Null when there is nobody of that name. */
export type FindWorker = (name: string, block: BlockId | null) => Worker | null;
