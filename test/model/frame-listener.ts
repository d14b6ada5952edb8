import type { RoboSmithEvent } from '#protocol/event.ts';
import type { FramePath, NodeId } from '#protocol/id.ts';

const callerOf = (frame: string): string => frame.slice(0, frame.lastIndexOf('/')) || '/';

/**
 * Checks the frame events of one run: each frame is left once, after all frames that it called, and has no events after
 * that.
 */
export function createFrameListener() {
  const open = new Map<FramePath, NodeId>();
  const faults: string[] = [];
  const fault = (what: string, frame: string): void => void faults.push(`${what} ${frame}`);
  const leave = (frame: FramePath, node: NodeId): void => {
    if (open.get(frame) !== node) fault(`left, but not entered: ${node} in`, frame);
    open.delete(frame);
    for (const other of open.keys())
      if (other !== '/' && callerOf(other) === frame) fault(`left before its callee ${other}:`, frame);
  };
  return {
    hear: (event: RoboSmithEvent): void => {
      if (event.type === 'node.entered') {
        if (open.has(event.frame)) fault('entered twice', event.frame);
        open.set(event.frame, event.node);
      } else if (event.type === 'node.left') leave(event.frame, event.node);
      else if ('frame' in event && !open.has(event.frame)) fault(`${event.type} outside of`, event.frame);
      else if (event.type === 'transition.taken' && !open.has(event.entry.frame))
        fault('transition.taken outside of', event.entry.frame);
    },
    /** Returns the frames that have not been left. */
    open: (): readonly string[] => [...open.keys()],
    faults,
  };
}
