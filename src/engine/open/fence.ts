import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

interface Fence {
  readonly calls: FileCalls;
  /**
   * Makes calls that change a file throw `state_not_saved` from now on; open files can still be read, synced and
   * closed.
   */
  shut(): void;
}

/**
 * Wraps the file calls that the engine uses. After `shut` they are refused, so work that is still active can't change
 * the state.
 */
export function createFence(calls: FileCalls): Fence {
  let isShut = false;
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
      rename: (...given) => owned().rename(...given),
      link: (...given) => owned().link(...given),
      remove: (...given) => owned().remove(...given),
      removeFolder: (...given) => owned().removeFolder(...given),
      makeFolder: (...given) => owned().makeFolder(...given),
    },
    shut: () => {
      isShut = true;
    },
  };
}
