import type { Visit } from '#protocol/generated/view.gen.ts';

/** The path of a frame without the number of a repetition and the branch: one path for all that a visit has called. */
const callOf = (frame: string): string | null => /^(.*\/[^/]*?#\d+)[^/]*$/.exec(frame)?.[1] ?? null;

/** Returns when each call began, by the path of the called frame. */
export function callTimes(visits: readonly Visit[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { frame, from } of visits) {
    const call = callOf(frame);
    if (call !== null) times.set(call, Math.min(from, times.get(call) ?? from));
  }
  return times;
}

/** Returns when a visit called another node; null: it has called none. */
export const calledAt = ({ frame, block, visit }: Visit, times: ReadonlyMap<string, number>): number | null =>
  times.get(`${frame === '/' ? '' : frame}/${block}#${visit}`) ?? null;
