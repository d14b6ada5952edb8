import {
  readRunPicture,
  type RunPicture,
  type StoredPicture,
  takeChanges,
  type TakenChanges,
  takeEvent,
} from '#engine/index.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { EventFeed } from '../feeds/event-feed.ts';
import type { HostedRuns } from '../runs/hosted-runs.ts';

/** The minimum time between two updates, in milliseconds. */
const FRAME_MS = 30;

/** A run that a view shows. */
export interface LiveRun {
  readonly run: RunId;
  readonly picture: RunPicture;
  readonly graph: Graph;
  readonly budgetMicroUsd: number | null;
}

interface LiveRunsParts {
  readonly root: string;
  readonly feed: EventFeed;
  readonly hosted: Pick<HostedRuns, 'find'>;
  readonly onChanges: (live: LiveRun, taken: TakenChanges) => void;
  readonly onEvent: (event: RoboSmithEvent) => void;
}

export interface LiveRuns {
  /** Follows a run until `leave`; null if there is no such run. Throws `corrupt_state`. */
  follow(run: RunId): LiveRun | null;
  leave(run: RunId): void;
  /** Sends the run's pending changes at once. */
  flush(run: RunId): void;
}

function budgetOf({ budgets }: Graph): number | null {
  const { run } = budgets as { readonly run?: { readonly usd?: unknown } };
  return typeof run?.usd === 'number' ? Math.round(run.usd * 1e6) : null;
}

const liveOf = (run: RunId, { picture, details }: StoredPicture): LiveRun => ({
  run,
  picture,
  graph: details.graph,
  budgetMicroUsd: budgetOf(details.graph),
});

/** Maintains the pictures of runs that views show, and reports their changes. */
export function createLiveRuns({ root, feed, hosted, onChanges, onEvent }: LiveRunsParts): LiveRuns {
  interface FollowedRun {
    readonly live: LiveRun;
    viewers: number;
    timer: NodeJS.Timeout | null;
    end: () => void;
  }
  const all = new Map<RunId, FollowedRun>();

  const flush = (followed: FollowedRun): void => {
    followed.timer = null;
    const taken = takeChanges(followed.live.picture, followed.live.budgetMicroUsd);
    if (taken.changes.length > 0 || taken.run || taken.halts) onChanges(followed.live, taken);
  };
  const begin = (run: RunId): FollowedRun | null => {
    const stored = readRunPicture(root, run);
    if (stored === null) return null;
    const live = liveOf(run, stored);
    const followed: FollowedRun = { live, viewers: 0, timer: null, end: () => undefined };
    // Adds published events that the log may not contain yet.
    for (const event of hosted.find(run)?.recent() ?? []) takeEvent(live.picture, event);
    takeChanges(live.picture, null);
    const subscription = feed.subscribe(run, null, {
      send: (events) => {
        for (const event of events) {
          if ('payload' in event) continue;
          takeEvent(live.picture, event);
          onEvent(event);
        }
        followed.timer ??= setTimeout(() => flush(followed), FRAME_MS);
        return Promise.resolve();
      },
      ended: () => undefined,
    });
    followed.end = subscription.end;
    all.set(run, followed);
    return followed;
  };
  return {
    follow: (run) => {
      const followed = all.get(run) ?? begin(run);
      if (followed === null) return null;
      followed.viewers += 1;
      return followed.live;
    },
    leave: (run) => {
      const followed = all.get(run);
      if (followed === undefined) return;
      followed.viewers -= 1;
      if (followed.viewers > 0) return;
      followed.end();
      if (followed.timer !== null) clearTimeout(followed.timer);
      all.delete(run);
    },
    flush: (run) => {
      const followed = all.get(run);
      if (followed !== undefined) flush(followed);
    },
  };
}
