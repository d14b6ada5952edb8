import type { LockOwner } from '#actors/engine-lock/index.ts';
import type { AiReply, AiService, AnswerPiece } from '#protocol/ai-service.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { InspectionEvent } from '#protocol/inspection.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { Session } from '#protocol/session.ts';
import type { NotedKeyTest } from '#protocol/key-pool.ts';
import type { OnPrompt } from '#protocol/shown-prompt.ts';
import type { KeyPlaces } from '../keys/load-keys.ts';
import type { SessionHooks, Sessions } from '../sessions/open-sessions.ts';
import type { WorkInProgress } from '../sessions/model/work-in-progress.ts';
import type { TaskKeeper } from '../plan/task-keeper.ts';
import type { KeptRun } from '../durable/begin-run.ts';
import type { PruneResult, PruneRules } from '#protocol/prune.ts';
import type { Environments } from './environments.ts';
import type { ResumeChoices } from '../durable/resume-run.ts';
import type { UnstoredOptions } from '../durable/start-data.ts';

export interface OpenEngineOptions {
  /** Reports a problem that stops no run. */
  readonly warn: (message: string) => void;
  readonly calls?: FileCalls;
  /** The socket on which the engine's owner serves clients; null for none. */
  readonly socket?: string | null;
  /** True if a command in the foreground owns the engine, so that `status` does not call it a host. */
  readonly isCommand?: boolean;
  /** The places of the user's keys; by default the process's environment and the system's keychain. */
  readonly keys?: KeyPlaces;
  /** Called with each prompt before it is sent. */
  readonly onPrompt?: OnPrompt;
  /** Called with each part of an answer, while a model writes it. */
  readonly onAnswer?: (piece: AnswerPiece) => void;
}

/** The engine of one project, owned by this process until it is closed. */
export interface Engine {
  /**
   * Starts a run. `directory`: the absolute working directory. `id`: from `newRun`. Throws the system's error if the
   * run can't be stored.
   */
  start(workflow: CompiledWorkflow, options: RunOptions, directory: string, id?: RunId): KeptRun;
  /** Returns an id for a run, so that it can be reported before it starts. */
  newRun(): RunId;
  /** Opens the sessions of the project. Repeated calls return the same object. */
  sessions(means: SessionHooks): Promise<Sessions>;
  /** Operations on sessions in progress, other than runs. */
  readonly sessionWork: Pick<WorkInProgress, 'isIdle' | 'sessions' | 'idle' | 'onEnd'>;
  /** The work plan; only the owner of the engine saves it. */
  readonly tasks: TaskKeeper;
  /** Resumes a run. Throws `corrupt_state` if that is impossible, `wrong_state` while this engine holds it. */
  resume(run: RunId, directory: string, companions: UnstoredOptions, choices?: ResumeChoices): KeptRun;
  /**
   * Creates a run with the state before a step of another run, even if the other run's journal is damaged after that
   * step. Null if there is no such step. `resume` starts it.
   */
  fork(run: RunId, step: number): RunId | null;
  /** Returns the session that a run works for, or null. */
  sessionOf(run: RunId): Session | null;
  /**
   * Returns whether this process still owns the engine. It does not once its lock is gone, as when the project was
   * moved; then it stores nothing any more.
   */
  isOwner(): boolean;
  /** Cancels a run that is not active. Throws `wrong_state` while this engine holds it. */
  cancel(run: RunId): Promise<void>;
  readonly environments: Pick<Environments, 'of' | 'offer'>;
  /** Calls a model with the same keys as the runs. */
  call(graph: Pick<Graph, 'pools' | 'budgets'>, ...order: Parameters<AiService['call']>): Promise<AiReply>;
  /** Removes finished runs, except those in `stay`. */
  prune(rules: PruneRules, stay?: readonly RunId[]): PruneResult;
  /**
   * Removes the worktree snapshots of runs that will be removed or no longer exist. Returns the runs that must stay.
   */
  forgetSnapshots(runs: readonly RunId[]): Promise<readonly RunId[]>;
  /**
   * Notes a person's test of a key in this project: if it works, its cooling and failures are cleared. False if there is
   * no such key.
   */
  noteKeyTest(test: NotedKeyTest): Promise<boolean>;
  /** Reloads the user's keys once no call is active. */
  keysChanged(): void;
  /**
   * Emits the live actors and then their events, in the wire format of the Stately inspector. Returns a function that
   * ends the inspection.
   */
  inspect(sink: (event: InspectionEvent) => void): () => void;
  /**
   * Closes the engine: no state is written from then on. The lock is kept while a worker or an operation on a session
   * is still active.
   */
  close(): void;
}

export type OpenedEngine =
  | { readonly ok: true; readonly engine: Engine }
  | { readonly ok: false; readonly owner: LockOwner; readonly why: 'alive' | 'other_host' };
