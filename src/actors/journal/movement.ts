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
 * Tracks which frames of a run can continue by themselves according to its journal: all except those that wait for a
 * person or for a callee. A branch without entries counts as moving.
 */
export function createMovement() {
  /** Open frames with the number of callees that have not ended. */
  const awaited = new Map<FramePath, number>([['/' as FramePath, 0]]);
  const left = new Set<FramePath>();

  /**
   * Assumes that a frame returns with its last callee, since such a return has no journal entry of its own. If the
   * frame executes something later, `at` reopens it.
   */
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

  /** Reopens a frame that seemed to have returned, and its callers. */
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
    // Usually the root is the only frame.
    if (awaited.size === 1 && left.size === 0) return;
    const below = frame === '/' ? '/' : `${frame}/`;
    for (const known of [awaited, left])
      for (const other of known.keys()) if (other !== '/' && other.startsWith(below)) known.delete(other);
  };

  return {
    /** Notes that a frame executes something, so none of its callees does. */
    at: (frame: FramePath): void => {
      forgetBelow(frame);
      enter(frame, 0);
    },
    /**
     * Applies an answer. With `next`, the frame may return from its last block. After a halt that follows an execution,
     * no other entry records this return.
     */
    answered: (frame: FramePath, verb: Answer['verb']): void => {
      if (verb === 'next') leave(frame);
    },
    follow: ({ frame, action }: PathEntry): void => {
      forgetBelow(frame);
      if (action === null || action === 'RETURN') leave(frame);
      else enter(frame, calledBy(action));
    },
    /** Returns whether any frame can move while these wait. */
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
