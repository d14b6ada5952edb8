import type { Notifier, SessionMove } from '#engine/index.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import { whyText } from '#protocol/response.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import type { Notice } from '#protocol/notice.ts';
import type { Session } from '#protocol/session.ts';
import type { HostedRuns } from './runs/hosted-runs.ts';

interface WaitingNoticesParts {
  readonly root: string;
  readonly hosted: Pick<HostedRuns, 'find'>;
  /** Returns the session that a run works for, or null. */
  readonly sessionOf: (run: RunId) => Session | null;
  readonly notifier: Pick<Notifier, 'notify'>;
  /** Calls `work` after a short delay, so that halts answered at once cause no notification. */
  readonly soon: (work: () => void) => void;
  readonly now: () => number;
}

const IS: Readonly<Partial<Record<Session['state'], string>>> = {
  halted: 'has stopped',
  ready: 'is done',
  failed: 'has failed',
};

const NEXT: Readonly<Partial<Record<Session['state'], string>>> = { halted: 'resume', ready: 'merge', failed: 'show' };

/** State changes that nobody requested. The result of any other change is shown to the person who requested it. */
const BY_ITSELF: ReadonlySet<SessionMove> = new Set([
  'session.creation_failed',
  'session.dependency_lost',
  'session.lost',
  'run.halted',
  'run.completed',
  'run.failed',
]);

/** Notifies the user of halts, sessions that need attention, and finished runs outside of sessions. */
export function waitingNotices({ root, hosted, sessionOf, notifier, soon, now }: WaitingNoticesParts) {
  const send = (notice: Omit<Notice, 'project' | 'at'>): void => {
    notifier.notify({ ...notice, project: root, at: now() });
  };
  const haltsOf = (run: RunId) => hosted.find(run)?.run.halts() ?? [];

  const notifyOfHalt = (run: RunId, id: HaltId): void => {
    const halt = haltsOf(run).find(({ halt_id }) => halt_id === id);
    // A halt with an end time needs no answer from a person.
    if (halt === undefined || halt.until !== null) return;
    const session = sessionOf(run);
    send({
      title: `${session === null ? '' : `${session.title}: `}${halt.block} waits`,
      text: whyText(halt.why),
      command: `robosmith inbox`,
      run,
      session: session?.id ?? null,
    });
  };

  const heard = (event: RoboSmithEvent): void => {
    const { run_id: run } = event;
    if (event.type === 'block.halted') soon(() => notifyOfHalt(run, event.halt_id));
    if (event.type !== 'run.finished') return;
    if ((event.outcome !== 'completed' && event.outcome !== 'failed') || sessionOf(run) !== null) return;
    const title = `Run ${run} has ${event.outcome}`;
    send({ title, text: root, command: `robosmith runs show ${run}`, run, session: null });
  };

  const moved = ({ id, title, state, resolving, why, runs }: Session, by: SessionMove): void => {
    const [is, verb, run] = [IS[state], resolving === null ? NEXT[state] : 'update', runs.at(-1)];
    if (!BY_ITSELF.has(by) || is === undefined || verb === undefined) return;
    if (state === 'halted' && run !== undefined && haltsOf(run).length > 0) return;
    const command = `robosmith sessions ${verb} ${id}`;
    send({ title: `${title} ${is}`, text: why ?? root, command, run: run ?? null, session: id });
  };

  return { heard, moved };
}
