import { type Engine, projectSessions, type Sessions, watchProject } from '#engine/index.ts';
import { createAdaptivePoll } from './adaptive-poll.ts';
import { adopt, type BeginParts } from './begin-runs.ts';
import { createSessionFeed, type SessionFeed } from './session-feed.ts';
import type { Stopper } from './stop-host.ts';
import type { waitingNotices } from './waiting-notices.ts';

interface HostedSessionsParts {
  readonly root: string;
  readonly engine: Pick<Engine, 'sessions'>;
  readonly beginning: BeginParts;
  readonly stopper: Stopper;
  readonly notices: Pick<ReturnType<typeof waitingNotices>, 'moved'>;
}

export interface HostedSessions {
  open(): Promise<Sessions>;
  /** Notifies clients of changes of sessions. */
  readonly feed: SessionFeed;
  /** Checks whether queued sessions can start: a file that a person has finished editing may unblock them. */
  refreshAll(): void;
  /** Stops the periodic checks. */
  end(): void;
}

/** Calls `work` after `ms` milliseconds, without keeping the process alive until then. */
function afterUnref(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
}

/** Creates the sessions of a host, whose runs it starts by itself. */
export function createHostedSessions(parts: HostedSessionsParts): HostedSessions {
  const { root, engine, beginning, stopper, notices } = parts;
  const { hosted } = beginning;
  const timing = { after: afterUnref, now: () => performance.now() };
  const feed = createSessionFeed({
    rows: () => projectSessions(root),
    watch: (onChange) => watchProject(root, onChange),
    ...timing,
  });
  const queuePoll = createAdaptivePoll({
    refresh: async () => {
      const { manager, refreshAll } = await open();
      if (manager.list().some(({ state }) => state === 'queued')) await refreshAll(stopper.isClosing);
      else queuePoll.end();
    },
    ...timing,
  });
  // A session's run that was being prepared when a stop was requested may still start, until the host closes.
  const inSession: BeginParts = { ...beginning, isStopping: stopper.isClosing };
  const open = (): Promise<Sessions> =>
    engine.sessions({
      runStarter: { adopt: (begin) => adopt(inSession, 0, begin), letGo: hosted.letGo },
      mayStart: () => !stopper.isStopping(),
      onMoved: (session, by, moved) => {
        if (moved.to === 'queued') queuePoll.ask();
        feed.moved(moved);
        notices.moved(session, by);
      },
    });
  return { open, feed, refreshAll: queuePoll.ask, end: queuePoll.end };
}
