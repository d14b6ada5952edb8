import { ENGINE_VERSION } from '#protocol/engine-version.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { PathEntry } from '#protocol/response.ts';
import type { ReplayRequests } from './replay-requests.ts';

/** The point where a run differs from its journal. */
export interface Difference {
  readonly recorded: PathEntry | string;
  readonly now: PathEntry | string;
}

const versions = (engine: string | null): string =>
  engine === null || engine === ENGINE_VERSION ? '' : ` (RoboSmith ${engine} wrote it, this is ${ENGINE_VERSION})`;

/**
 * Makes the error of a run that differs from its journal. `engine` is the version that wrote the journal, null if it is
 * not known.
 */
export const partedFrom = ({ recorded, now }: Difference, engine: string | null): RoboSmithError => {
  const text = (of: PathEntry | string): string => (typeof of === 'string' ? of : JSON.stringify(of));
  return new RoboSmithError(
    'corrupt_state',
    `the run differs from its journal${versions(engine)}: recorded: ${text(recorded)}; now: ${text(now)}`,
    {
      recorded: text(recorded),
      now: text(now),
    },
  );
};

/** The end of a replay: all values were returned, or the run has parted from its journal. */
export interface ReplayEnd {
  readonly promise: Promise<undefined>;
  isFinished(): boolean;
  difference(): Difference | null;
  finish(): void;
  /** Ends the replay because the run differs from its journal. Only the first difference is kept. */
  part(found: Difference): void;
}

export function createReplayEnd(engine: string | null, isEmpty: boolean, requests: ReplayRequests): ReplayEnd {
  const over = Promise.withResolvers<undefined>();
  over.promise.catch(() => undefined);
  let difference: Difference | null = null;
  /** True once the last value was returned and all recorded lookups were made. */
  let finished = isEmpty;
  return {
    promise: over.promise,
    isFinished: () => finished,
    difference: () => difference,
    finish: () => {
      finished = true;
      if (difference === null) over.resolve(undefined);
    },
    part: (found) => {
      if (difference !== null) return;
      difference = found;
      const thrown = partedFrom(found, engine);
      requests.refuseAll(thrown);
      over.reject(thrown);
    },
  };
}
