import { RoboSmithError } from '#protocol/error.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import type { Scene } from './stored-runs.ts';
import { manifestOf } from './manifest-sketch.ts';

export const MINUTE = 60_000;

export const waits = (data: JsonObject, message = 'all keys are cooling down'): RoboSmithError =>
  new RoboSmithError('waits', message, data);

export const success: WorkerResult = { signal: 'SIGNAL:SUCCESS' };

/** The results of a worker, by block and execution. All further executions succeed. */
export type Plan = Readonly<Record<string, readonly (Error | WorkerResult)[]>>;

export const planned = (plan: Plan, executed: string[] = []): Worker => {
  const counts = new Map<string, number>();
  return {
    sideEffects: 'idempotent',
    execute: ({ system: { block } }: BlockMemory) => {
      const count = counts.get(block) ?? 0;
      counts.set(block, count + 1);
      executed.push(block);
      const step = plan[block]?.[count] ?? success;
      return step instanceof Error ? Promise.reject(step) : Promise.resolve(step);
    },
  };
};

export const sceneWith = (nodes: Parameters<typeof manifestOf>[0], plan: Plan, executed: string[] = []): Scene => ({
  name: 'waits',
  manifest: manifestOf(nodes),
  workers: new Map([['Worker:X', planned(plan, executed)]]),
});
