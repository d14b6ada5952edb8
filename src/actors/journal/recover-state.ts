import type { SideEffects } from '#protocol/graph.ts';
import type { HaltId } from '#protocol/id.ts';
import type { BlobRef, JournalEntry, LocalKey } from '#protocol/journal.ts';
import type { Answer, PathEntry } from '#protocol/response.ts';
import type { TimedValue, StepResult } from '#protocol/run.ts';
import type { Spent } from '#protocol/spent.ts';
import { executionId, keyOf } from './local-key.ts';
import { entriesInForce } from './entries-in-force.ts';

/** The results and answers of a run, in the order in which it received them. */
export type RecoveredInput = {
  readonly id: string;
  readonly key: LocalKey;
  /** The number of lookups that precede this result or answer. */
  readonly lookups: number;
} & (
  | { readonly kind: 'result'; readonly known: TimedValue<StepResult | BlobRef> }
  | { readonly kind: 'answer'; readonly known: TimedValue<Answer> }
);

/** An execution with an intent and no result. */
export interface UnfinishedExecution {
  readonly sideEffects: SideEffects;
  readonly after: 'crash' | 'stop';
  /**
   * The snapshot to restore before the execution is repeated; null if none was taken, or if restoring it would undo
   * later changes of other executions.
   */
  readonly snapshot: string | null;
  /** True if the model usage of the execution is known. */
  readonly isPaid: boolean;
}

type UnfinishedDraft = { -readonly [Key in keyof UnfinishedExecution]: UnfinishedExecution[Key] };

/** The content of a journal, in the form that a resumed run needs. */
export interface RecoveredState {
  readonly inputs: readonly RecoveredInput[];
  readonly unfinished: ReadonlyMap<string, UnfinishedExecution>;
  /** The change plans of steps that were cut off and are executed again. */
  readonly plans: ReadonlyMap<LocalKey, readonly string[]>;
  /**
   * Ids of executions that had begun when their visit was cancelled. An execution that still waited for its turn has no
   * intent.
   */
  readonly begun: ReadonlySet<string>;
  /** The halts of each visit, in order. */
  readonly halts: ReadonlyMap<LocalKey, readonly TimedValue<HaltId>[]>;
  /** The highest number of a halt, also of those that were rolled back: no id is used twice in a run. */
  readonly lastHalt: number;
  readonly answered: ReadonlySet<string>;
  /** The times until which the executions after these are delayed, by execution. */
  readonly delays: ReadonlyMap<string, number>;
  /** The number of executions that a crash cut off, by step. */
  readonly crashes: ReadonlyMap<LocalKey, number>;
  readonly path: readonly PathEntry[];
  /** The name of the worker that ran each execution, by the execution's id. */
  readonly workers: ReadonlyMap<string, string>;
  /** Executions that a person rolled back. */
  readonly takenBack: ReadonlySet<string>;
  /** Usage of executions whose result does not state it. */
  readonly spent: readonly Spent[];
  /** The version of the engine that wrote the last part of the journal; null if that states no version. */
  readonly engine: string | null;
}

export const answerId = (key: LocalKey, halt: HaltId): string => `${key} ${halt}`;

interface Draft {
  readonly inputs: RecoveredInput[];
  readonly begun: Set<string>;
  readonly plans: Map<LocalKey, readonly string[]>;
  readonly unfinished: Map<string, UnfinishedDraft>;
  readonly halts: Map<LocalKey, TimedValue<HaltId>[]>;
  readonly lastHalt: number;
  readonly answered: Set<string>;
  readonly delays: Map<string, number>;
  readonly crashes: Map<LocalKey, number>;
  readonly path: PathEntry[];
  readonly workers: Map<string, string>;
  readonly takenBack: Set<string>;
  readonly spent: Spent[];
  engine: string | null;
}

const isCrash = (stepped: StepResult | BlobRef): boolean =>
  'kind' in stepped &&
  ((stepped.kind === 'again' && stepped.after === 'crash') ||
    (stepped.kind === 'wait' && stepped.why === 'circuit_open'));

function take(entry: JournalEntry, draft: Draft): void {
  switch (entry.type) {
    case 'intent':
      draft.unfinished.set(executionId(entry.key, entry.attempt), {
        sideEffects: entry.sideEffects,
        after: 'crash',
        snapshot: entry.snapshot ?? null,
        isPaid: false,
      });
      draft.workers.set(executionId(entry.key, entry.attempt), entry.worker);
      if (entry.plan !== undefined) draft.plans.set(entry.key, entry.plan);
      return;
    case 'unbegun':
      draft.unfinished.delete(executionId(entry.key, entry.attempt));
      return;
    case 'result': {
      const { key, attempt, stepped, at } = entry;
      const id = executionId(key, attempt);
      const isChange = draft.unfinished.get(id)?.sideEffects !== 'none';
      draft.unfinished.delete(id);
      // The result may include file changes that were made after the snapshots of unfinished executions; restoring
      // those snapshots would undo the changes.
      if (isChange) for (const one of draft.unfinished.values()) one.snapshot = null;
      if (!('kind' in stepped && stepped.kind === 'again')) draft.plans.delete(key);
      draft.inputs.push({ kind: 'result', id, key, lookups: draft.path.length, known: { value: stepped, at } });
      if (entry.takenBack) draft.takenBack.add(id);
      if (isCrash(stepped)) draft.crashes.set(key, (draft.crashes.get(key) ?? 0) + 1);
      return;
    }
    case 'halt':
      draft.halts.set(entry.key, [...(draft.halts.get(entry.key) ?? []), { value: entry.halt, at: entry.at }]);
      return;
    case 'answer': {
      const id = answerId(entry.key, entry.halt);
      draft.answered.add(id);
      draft.inputs.push({
        kind: 'answer',
        id,
        key: entry.key,
        lookups: draft.path.length,
        known: { value: entry.answer, at: entry.at },
      });
      return;
    }
    case 'delay':
      draft.delays.set(executionId(entry.key, entry.attempt), entry.until);
      return;
    case 'path':
      draft.path.push(entry.entry);
      if (entry.entry.signal === null) draft.begun.add(executionId(keyOf(entry.entry), entry.entry.attempts));
      return;
    case 'spent': {
      const unfinished = draft.unfinished.get(entry.execution);
      if (unfinished !== undefined) unfinished.isPaid = true;
      draft.spent.push(entry.spent);
      return;
    }
    case 'stop':
    case 'end':
      // Nothing executes after a stop or end: unfinished executions were requested to stop.
      for (const one of draft.unfinished.values()) one.after = 'stop';
      return;
    case 'open':
      draft.engine = entry.engine ?? null;
      return;
    case 'run':
    case 'manifest':
    case 'retry':
  }
}

const numberOf = (entry: JournalEntry): number => (entry.type === 'halt' ? Number(entry.halt.slice(1)) : 0);

export function recoverState(entries: readonly JournalEntry[]): RecoveredState {
  const draft: Draft = {
    inputs: [],
    unfinished: new Map(),
    begun: new Set(),
    plans: new Map(),
    halts: new Map(),
    lastHalt: entries.reduce((last, entry) => Math.max(last, numberOf(entry)), 0),
    answered: new Set(),
    delays: new Map(),
    crashes: new Map(),
    path: [],
    workers: new Map(),
    takenBack: new Set(),
    spent: [],
    engine: null,
  };
  for (const entry of entriesInForce(entries)) take(entry, draft);
  const cutOff = [...draft.unfinished.values()].filter(({ sideEffects }) => sideEffects !== 'none');
  // If several executions were interrupted, their changes to the shared files can't be told apart, so no snapshot is
  // restored.
  if (cutOff.length > 1) for (const one of cutOff) one.snapshot = null;
  return draft;
}
