import { checkResult } from '#machines/run/check-result.ts';
import { schemaValidators } from '#engine/schemas/schema-validators.ts';
import type { BlockId } from '#protocol/id.ts';
import type { JournalEntry, LocalKey } from '#protocol/journal.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { countScripted, type ScriptCounts, scriptedWorker } from '#workers/index.ts';
import type { ObservedRun } from './observed-run.ts';

type Role = 'block' | 'repair';

/** Only `Worker:Fixer` executes repairs. */
const roleOf = (name: string): Role => (name === 'Worker:Fixer' ? 'repair' : 'block');

const visitOf = (key: LocalKey): string => key.split('!')[0] ?? '';

/** Counts the scripted answers that earlier executions have consumed. */
function countsOf(entries: readonly JournalEntry[]): ScriptCounts {
  const counts: ScriptCounts = new Map();
  for (const entry of entries) {
    if (entry.type !== 'result' || !('kind' in entry.stepped) || entry.stepped.kind !== 'done') continue;
    if (!entry.stepped.outcome.ok && !entry.stepped.outcome.started) continue;
    const visit = visitOf(entry.key);
    const at = visit.lastIndexOf('/');
    const block = visit.slice(at + 1, visit.lastIndexOf('#'));
    const repairs = visit !== entry.key;
    countScripted(
      counts,
      repairs ? 'repair' : 'block',
      repairs ? 'Worker:Fixer' : '',
      block,
      visit.slice(0, at) || '/',
    );
  }
  return counts;
}

function scriptedFor({ workflow: { graph }, script }: ObservedRun, name: string, counts: ScriptCounts) {
  const role = roleOf(name);
  const validators = schemaValidators(graph);
  const definition = graph.workers.find((one) => one.name === name);
  return (id: BlockId): Worker => {
    const block =
      role === 'block' ? graph.nodes.flatMap(({ blocks }) => blocks).find((one) => one.id === id) : undefined;
    const rules = {
      outputType: definition?.outputType ?? 'CODE_OUTPUT',
      validation: block?.validation ?? null,
      validate: block === undefined ? null : validators(id),
      edits: null,
    };
    return scriptedWorker({ script, counts, worker: name, role, rules, sideEffects: block?.sideEffects ?? null });
  };
}

const executionOf = (name: string, { system: { step, attempt } }: BlockMemory): string => `${name} ${step}@${attempt}`;

export interface WorkerObserver {
  /** Called at the start of each execution. */
  readonly onExecute: (memory: BlockMemory) => void;
  /** Called for each execution that is not repeated because `checkCompletion` found it completed. */
  readonly onFound: (memory: BlockMemory) => void;
}

/**
 * Creates workers as a caller of the library would provide them. They answer from the run's script and record results
 * that survive a crash, for `checkCompletion`.
 */
export function ownWorkers(run: ObservedRun, { onExecute, onFound }: WorkerObserver): ReadonlyMap<string, Worker> {
  const counts = countsOf(run.entries);
  const make = (name: string): Worker => {
    const scripted = scriptedFor(run, name, counts);
    return {
      sideEffects: 'idempotent',
      sideEffectsOf: (memory) => scripted(memory.system.block).sideEffectsOf?.(memory) ?? null,
      execute: async (memory, services, signal): Promise<WorkerResult> => {
        if (roleOf(name) === 'block') onExecute(memory);
        const result = await scripted(memory.system.block).execute(memory, services, signal);
        // A result that violates the contract is not recorded: the engine would reject it.
        if (!signal.aborted && checkResult(result).ok) run.done.set(executionOf(name, memory), result);
        return result;
      },
      checkCompletion: (memory) => {
        const found = run.done.get(executionOf(name, memory)) ?? null;
        const { block, frame } = memory.system;
        if (found === null) return Promise.resolve(null);
        countScripted(counts, roleOf(name), name, block, frame);
        onFound(memory);
        return Promise.resolve(found);
      },
    };
  };
  return new Map(['Worker:Coder', 'Worker:Fixer'].map((name) => [name, make(name)]));
}
