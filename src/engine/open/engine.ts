import type { LockOwner } from '#actors/engine-lock/index.ts';
import type { AiReply, AiService } from '#protocol/ai-service.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { InspectionEvent } from '#protocol/inspection.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { Session } from '#protocol/session.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import type { KeyPlaces } from '../keys/load-keys.ts';
import type { SessionMeans, Sessions } from '../sessions/open-sessions.ts';
import type { UnderWay } from '../sessions/model/work-in-progress.ts';
import type { TaskKeeper } from '../tasks/task-keeper.ts';
import type { KeptRun } from '../durable/begin-run.ts';
import type { Pruned, PruneRules } from '../durable/prune.ts';
import type { ResumeChoices } from '../durable/run-store.ts';
import type { Companions } from '../durable/start-data.ts';

export interface OpenEngineOptions {
  /** For people: nothing of it stops a run. */
  readonly warn: (message: string) => void;
  readonly calls?: FileCalls;
  /** Where clients can talk to its owner; null: nowhere. */
  readonly socket?: string | null;
  /** Where the user's keys are; else in the process's environment and the system's keychain. */
  readonly keys?: KeyPlaces;
  /** Sees what models are sent, right before they are. */
  readonly onPrompt?: (prompt: ShownPrompt) => void;
}

/** The engine of one project, owned by this process until it is closed. */
export interface Engine {
  /** `directory`: where it works, absolute. `id`: from `newRun`. Throws the system's error when the run can't be kept. */
  start(workflow: CompiledWorkflow, options: RunOptions, directory: string, id?: RunId): KeptRun;
  /** An id for a run, so that it can be told of before it begins. */
  newRun(): RunId;
  /** Those of the project, with what is done for them. Once a process: who asks again gets the same. */
  sessions(means: SessionMeans): Promise<Sessions>;
  /** What is done to them now, beside their runs. */
  readonly sessionWork: Pick<UnderWay, 'isIdle' | 'sessions' | 'idle' | 'onEnd'>;
  /** The work plan; only its owner saves it. */
  readonly tasks: TaskKeeper;
  /** Goes on with a run; `corrupt_state` when that can't be done, `wrong_state` while this engine has it in its hands. */
  resume(run: RunId, directory: string, companions: Companions, choices?: ResumeChoices): KeptRun;
  /** A new run that knows what this one knew before a step, also of one that is damaged later on; null when it has no such step. It begins with `resume`. */
  fork(run: RunId, step: number): RunId | null;
  /** The session that a run works for; null: none. */
  sessionOf(run: RunId): Session | null;
  /** Ends a run that is not under way; `wrong_state` while this engine has it in its hands. */
  cancel(run: RunId): Promise<void>;
  /** Asks a model as the runs do, with the same keys, and beside all of them. */
  call(graph: Pick<Graph, 'pools' | 'budgets'>, ...order: Parameters<AiService['call']>): Promise<AiReply>;
  /** Removes runs that are over, but for those in `stay`. */
  prune(rules: PruneRules, stay?: readonly RunId[]): Pruned;
  /** Removes the worktree snapshots of runs that are about to go, and of those that are gone; gives those that must not go yet. */
  forgetSnapshots(runs: readonly RunId[]): Promise<readonly RunId[]>;
  /** A person says that a key is good: what was held against it in this project is void. False: there is no such key. */
  forgiveKey(alias: string): Promise<boolean>;
  /** The user's keys are others now: they are read anew as soon as no call is under way. */
  keysChanged(): void;
  /** Emits the live actors, then all that happens to them, in the wire format of the Stately inspector. Returns what ends it. */
  inspect(sink: (event: InspectionEvent) => void): () => void;
  /** Nothing of the project's state is written from then on. It stays locked while a worker, or what is done to a session, goes on. */
  close(): void;
}

export type OpenedEngine =
  | { readonly ok: true; readonly engine: Engine }
  | { readonly ok: false; readonly owner: LockOwner; readonly why: 'alive' | 'other_host' };
