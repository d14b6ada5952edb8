import { createVirtualClock, quiescence, type VirtualClock } from '#io/clock/virtual-clock.ts';
import type { RunPorts } from '#protocol/run.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import type { WorkflowManifest } from '../../../src/index.ts';

export const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

/** Builds a manifest whose blocks use `Worker:X`, which the caller provides. */
export const manifestOf = (nodes: object, more: object = {}): WorkflowManifest =>
  ({
    version: 1,
    entry: 'Main',
    workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
    nodes,
    ...more,
  }) as WorkflowManifest;

/** Builds a manifest with one node, `Main`, that has one block, `A`. */
export const oneBlock = (fields: object = {}): WorkflowManifest =>
  manifestOf({ Main: { entry_block: 'A', blocks: { A: { worker: 'Worker:X', ...fields } } } });

export const worker = (
  execute: (memory: BlockMemory, signal: AbortSignal) => WorkerResult | Promise<WorkerResult>,
  more: Partial<Worker> = {},
): Worker => ({
  sideEffects: 'none',
  execute: async (memory, _services, signal) => execute(memory, signal),
  ...more,
});

export const success: WorkerResult = { signal: 'SIGNAL:SUCCESS' };

/** The start of virtual time: 2000-01-01. */
export const EPOCH = 946_684_800_000;

export interface VirtualPorts extends RunPorts {
  readonly clock: VirtualClock;
}

/** Creates ports without files, processes and randomness. Their time advances only through `advance`. */
export function virtualPorts(more: Partial<RunPorts> = {}): VirtualPorts {
  let ids = 0;
  return {
    random: () => 0.5,
    newId: (bytes) => {
      ids += 1;
      return ids.toString(16).padStart(bytes * 2, '0');
    },
    files: null,
    processes: null,
    ...more,
    clock: createVirtualClock(EPOCH, (left, right) => (left < right ? -1 : left > right ? 1 : 0)),
  };
}

/** Advances virtual time until the promise is settled. */
export async function inVirtualTime<Value>({ clock }: VirtualPorts, work: Promise<Value>): Promise<Value> {
  let open = true;
  void work.finally(() => (open = false));
  for (;;) {
    await quiescence();
    if (!open || !clock.advance()) return work;
  }
}
