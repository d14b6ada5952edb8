import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

interface Fence {
  readonly calls: FileCalls;
  /**
   * Makes calls that change a file throw `state_not_saved` from now on; open files can still be read, synced and
   * closed.
   */
  shut(): void;
  /** Returns whether this process still owns the engine; shuts the fence if not. */
  isOwner(): boolean;
}

/**
 * Wraps the file calls that the engine uses. After `shut` they are refused, so work that is still active can't change
 * the state. `isHeld` says whether the engine's lock still exists; it is asked before a file is replaced, since this
 * process would otherwise replace the list of sessions of the next owner, or create the state again where the project
 * was before somebody moved it.
 */
export function createFence(calls: FileCalls, isHeld: () => boolean): Fence {
  let isShut = false;
  const isOwner = (): boolean => {
    isShut ||= !isHeld();
    return !isShut;
  };
  const owned = (): FileCalls => {
    if (isShut) throw new RoboSmithError('state_not_saved', 'this process no longer owns the engine of the project');
    return calls;
  };
  return {
    calls: {
      ...calls,
      open: (...given) => owned().open(...given),
      write: (...given) => owned().write(...given),
      truncate: (...given) => owned().truncate(...given),
      rename: (...given) => {
        isOwner();
        owned().rename(...given);
      },
      link: (...given) => owned().link(...given),
      remove: (...given) => owned().remove(...given),
      removeFolder: (...given) => owned().removeFolder(...given),
      makeFolder: (...given) => owned().makeFolder(...given),
    },
    shut: () => {
      isShut = true;
    },
    isOwner,
  };
}
