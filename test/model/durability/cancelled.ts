import type { MemoryView } from '../../reference/run-outcome.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { Runner } from '../run-side.ts';
import { keyOf } from './cut-offs.ts';

const isCancelled = ({ signal, action }: PathEntry): boolean => signal === null && action === null;

/**
 * Wraps a runner, and removes from its results the visits that were cancelled at the moment they began. A crash at that
 * moment may decide whether their execution began, so both outcomes are correct.
 */
export const leavingOutCancelled =
  (run: Runner): Runner =>
  async (manifest, start, script, request) => {
    const memories: MemoryView[] = [];
    const outcome = await run(manifest, start, script, {
      ...request,
      onMemory: (memory) => void memories.push(memory),
    });
    const cancelled = new Set(outcome.path.filter(isCancelled).map(keyOf));
    for (const memory of memories) if (!cancelled.has(keyOf(memory))) request.onMemory?.(memory);
    return { ...outcome, path: outcome.path.map((entry) => (isCancelled(entry) ? { ...entry, attempts: 0 } : entry)) };
  };
