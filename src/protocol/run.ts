import type { Clock } from './clock.ts';
import type { EventListener } from './event.ts';
import type { BlockId, HaltId, NodeId, RunId, StepKey } from './id.ts';
import type { Answer, Failure, Halt, HaltReason, Response } from './response.ts';
import type { Script } from './script.ts';
import type { Files, Processes } from './services.ts';
import type { BlockMemory, Worker, WorkerResult } from './worker.ts';

/** Where a run starts: a node's entry block, or one block. */
export type Start = { readonly node: NodeId } | { readonly block: BlockId };

/** The outside world of a run, handed in by the composition root. */
export interface RunPorts {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Hexadecimal, of that many bytes. */
  readonly newId: (bytes: number) => string;
  readonly files: Files | null;
  readonly processes: Processes | null;
}

export interface RunOptions {
  readonly start: Start;
  readonly input?: string;
  /** Answers for scripted blocks and for halts; in `simulate` it covers every block. */
  readonly script?: Script;
  readonly stepMode?: boolean;
  /** The manifest's file, for people. */
  readonly source?: string;
  readonly onEvent?: EventListener;
}

export type AnswerOutcome =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly why: 'unknown_halt' | 'already_answered' | 'not_allowed' | 'unknown_block'; readonly allowed: readonly string[] };

/** A started run, as its owner holds it. */
export interface Run {
  readonly id: RunId;
  /** Resolves when the run has ended or can only go on with a person; again after each answer. Never rejects. */
  settled(): Promise<Response>;
  halts(): readonly Halt[];
  answer(halt: HaltId, answer: Answer): AnswerOutcome;
  /** Ends it as `cancelled`; its worker is aborted. */
  cancel(): void;
  subscribe(listener: EventListener): () => void;
}

/** One execution of a worker as data, never a closure (spec/distributed.md "The seam"). */
export interface StepSpec {
  readonly worker: string;
  readonly attempt: number;
  readonly memory: BlockMemory;
}

export type StepOutcome =
  | { readonly ok: true; readonly result: WorkerResult }
  | { readonly ok: false; readonly failure: Failure; /** Did the worker's `execute` begin? */ readonly started: boolean };

export interface HaltRequest {
  readonly id: HaltId;
  readonly block: BlockId;
  readonly why: HaltReason;
}

/**
 * The seam between machines and whatever executes and remembers: one run is one sequential chain for each frame.
 * `step` is memoised by key and attempt where a journal is; `ask` waits for a person.
 */
export interface RunContext {
  readonly runId: RunId;
  step(key: StepKey, spec: StepSpec, signal: AbortSignal): Promise<StepOutcome>;
  ask(key: StepKey, halt: HaltRequest, signal: AbortSignal): Promise<Answer>;
}

/** Finds a worker by the name that a block uses; null when there is none. */
export type FindWorker = (name: string) => Worker | null;
