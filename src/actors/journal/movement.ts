import type { FramePath } from '#protocol/id.ts';
import type { Answer, PathEntry } from '#protocol/response.ts';

const callerOf = (frame: FramePath): FramePath => (frame.slice(0, frame.lastIndexOf('/')) || '/') as FramePath;

const calledBy = (action: string | null): number => {
  if (action === null) return 0;
  if (action.startsWith('CALL:')) return 1;
  const [, nodes] = /^FORK:([^:]*)/.exec(action) ?? [];
  return nodes === undefined ? 0 : nodes.split(',').length;
};

/**
 * Which frames of a run can go on by themselves, as far as its journal tells: all but those that wait for a person or for what they called.
 * A branch of which nothing is written yet moves as well.
 */
export function createMovement() {
  /** Open frames, each with how many of its callees have not ended. */
  const awaited = new Map<FramePath, number>([['/' as FramePath, 0]]);
  const left = new Set<FramePath>();

  /** One that returns when its last callee does has no line that says so: what goes on shows itself (`at`). */
  const leave = (frame: FramePath): void => {
    if (frame === '/' || left.has(frame)) return;
    awaited.delete(frame);
    left.add(frame);
    const caller = callerOf(frame);
    if (left.has(caller)) return;
    const others = (awaited.get(caller) ?? 0) - 1;
    awaited.set(caller, Math.max(0, others));
    if (others <= 0) leave(caller);
  };

  /** Also of one that had seemed to have left, and so of its callers. */
  const comeBack = (frame: FramePath): void => {
    if (!left.delete(frame)) return;
    const caller = callerOf(frame);
    comeBack(caller);
    awaited.set(caller, (awaited.get(caller) ?? 0) + 1);
  };

  const enter = (frame: FramePath, callees: number): void => {
    comeBack(frame);
    awaited.set(frame, callees);
  };

  const forgetBelow = (frame: FramePath): void => {
    // Mostly the first frame is all there is.
    if (awaited.size === 1 && left.size === 0) return;
    const below = frame === '/' ? '/' : `${frame}/`;
    for (const known of [awaited, left])
      for (const other of known.keys()) if (other !== '/' && other.startsWith(below)) known.delete(other);
  };

  return {
    /** Something of it is under way: nothing that it called is. */
    at: (frame: FramePath): void => {
      forgetBelow(frame);
      enter(frame, 0);
    },
    /** `next` returns from the last block, and of a halt after execution no line says so. */
    answered: (frame: FramePath, verb: Answer['verb']): void => {
      if (verb === 'next') leave(frame);
    },
    follow: ({ frame, action }: PathEntry): void => {
      forgetBelow(frame);
      if (action === null || action === 'RETURN') leave(frame);
      else enter(frame, calledBy(action));
    },
    /** Can anyone, when these wait? */
    isMoving: (waiting: ReadonlySet<FramePath>): boolean => {
      const known = new Map<FramePath, number>();
      for (const frame of awaited.keys())
        if (frame !== '/') known.set(callerOf(frame), (known.get(callerOf(frame)) ?? 0) + 1);
      return [...awaited].some(([frame, callees]) =>
        callees === 0 ? !waiting.has(frame) : callees > (known.get(frame) ?? 0),
      );
    },
  };
}
