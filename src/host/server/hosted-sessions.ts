import { type Engine, projectSessions, type Sessions, watchProject } from '#engine/index.ts';
import type { Session, SessionState } from '#protocol/session.ts';
import { createAdaptivePoll } from './feeds/adaptive-poll.ts';
import { adopt, type BeginParts } from './begin-runs.ts';
import { createSessionFeed, type SessionFeed } from './feeds/session-feed.ts';
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
  /** Returns whether the sessions were opened, so that this process may have queued some. */
  isOpen(): boolean;
  /** Notifies clients of changes of sessions. */
  readonly feed: SessionFeed;
  /**
   * Checks whether queued sessions can start, since a file that a person has finished editing may unblock them, and
   * compares the work that people do in worktrees.
   */
  refreshAll(): void;
  /** Stops the periodic checks. */
  end(): void;
}

/** Returns whether a session waits, or has a worktree in which a person may work, which causes no event. */
const isPolled = ({ state, worktree }: Session): boolean =>
  state === 'queued' || (worktree !== null && PERSON_MAY_WORK.has(state));

const PERSON_MAY_WORK: ReadonlySet<SessionState> = new Set(['ready', 'halted', 'failed', 'held']);

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
      if (manager.list().some(isPolled)) await refreshAll(stopper.isClosing);
      else queuePoll.end();
    },
    ...timing,
  });
  // A session's run that was being prepared when a stop was requested may still start, until the host closes.
  const inSession: BeginParts = { ...beginning, isStopping: stopper.isClosing };
  let isOpen = false;
  const open = (): Promise<Sessions> => {
    isOpen = true;
    return engine.sessions({
      runStarter: { adopt: (begin) => adopt(inSession, 0, begin), letGo: hosted.letGo },
      mayStart: () => !stopper.isStopping(),
      onMoved: (session, by, moved) => {
        if (isPolled(session)) queuePoll.ask();
        feed.moved(moved);
        notices.moved(session, by);
      },
    });
  };
  return { open, isOpen: () => isOpen, feed, refreshAll: queuePoll.ask, end: queuePoll.end };
}
