import { frameOf, isBlobRef } from '#actors/journal/index.ts';
import type { Clock } from '#protocol/clock.ts';
import type { Graph } from '#protocol/graph.ts';
import type { FramePath } from '#protocol/id.ts';
import type { JournalEntry, LocalKey } from '#protocol/journal.ts';
import { begunBefore } from './begun-before.ts';

const blockOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1, key.lastIndexOf('#'));

/** Returns a map from each frame that was pausing before a retry to the time at which its last execution failed. */
function pausingSince(entries: readonly JournalEntry[]): ReadonlyMap<FramePath, number> {
  const since = new Map<FramePath, number>();
  for (const entry of entries) {
    if (entry.type === 'path') since.delete(entry.entry.frame);
    if (entry.type === 'intent') since.delete(frameOf(entry.key));
    if (entry.type !== 'result' || isBlobRef(entry.stepped) || entry.stepped.kind !== 'done') continue;
    if (!entry.stepped.outcome.ok) since.set(frameOf(entry.key), entry.at);
  }
  return since;
}

/**
 * Returns a clock on which a time limit or pause that a crash cut off ends at its original time. If it started again
 * from zero, the order of events in different branches could change.
 */
export function clockGoingOn(clock: Clock, { nodes }: Graph, entries: readonly JournalEntry[]): Clock {
  const blocks = nodes.flatMap((node) => node.blocks);
  const limitOf = new Map(blocks.map(({ id, timeoutMs }): [string, number | null] => [id, timeoutMs]));
  const limits = new Map(
    Array.from(begunBefore(entries), ([key, begun]) => [
      frameOf(key as LocalKey),
      { begun, ms: limitOf.get(blockOf(key)) ?? null },
    ]),
  );
  const pauses = new Map(pausingSince(entries));
  /** Returns the time at which the limit or pause began before the crash, or null if it begins now. */
  const begunAt = (ms: number, frame: FramePath): number | null => {
    const limit = limits.get(frame);
    const begun = limit === undefined ? pauses.get(frame) : limit.begun;
    if (begun === undefined || (limit !== undefined && limit.ms !== ms)) return null;
    limits.delete(frame);
    pauses.delete(frame);
    return begun;
  };
  return {
    ...clock,
    sleep: (ms, signal, order) => {
      const begun = begunAt(ms, order as FramePath);
      return clock.sleep(begun === null ? ms : Math.max(0, begun + ms - clock.now()), signal, order);
    },
  };
}
