import type { Visit } from '#protocol/generated/view.gen.ts';

/**
 * Returns a frame's path without the numbers of the repetition and of the branch, or null for the root. The result is
 * the same for all frames that one visit has called.
 */
const callOf = (frame: string): string | null => /^(.*\/[^/]*?#\d+)[^/]*$/.exec(frame)?.[1] ?? null;

/** Returns the time in milliseconds at which each call began, by the path of the called frame. */
export function callTimes(visits: readonly Visit[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { frame, from } of visits) {
    const call = callOf(frame);
    if (call !== null) times.set(call, Math.min(from, times.get(call) ?? from));
  }
  return times;
}

/** Returns the time at which a visit called another node, or null if it called none. */
export const calledAt = ({ frame, block, visit }: Visit, times: ReadonlyMap<string, number>): number | null =>
  times.get(`${frame === '/' ? '' : frame}/${block}#${visit}`) ?? null;
