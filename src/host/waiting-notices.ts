import type { Notifier } from '#engine/index.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import { whyText } from '#protocol/halt-reason-text.ts';
import type { RunId } from '#protocol/id.ts';
import type { Notice } from '#protocol/notice.ts';
import type { Session } from '#protocol/session.ts';
import type { HostedRuns } from './hosted-runs.ts';

export interface WaitingNoticesParts {
  readonly root: string;
  readonly hosted: Pick<HostedRuns, 'find'>;
  /** That a run works for; null: none. */
  readonly sessionOf: (run: RunId) => Session | null;
  readonly notifier: Pick<Notifier, 'notify'>;
  readonly now: () => number;
}

const IS: Readonly<Partial<Record<Session['state'], string>>> = {
  halted: 'has stopped',
  ready: 'is done',
  failed: 'has failed',
};

const NEXT: Readonly<Partial<Record<Session['state'], string>>> = { halted: 'resume', ready: 'merge', failed: 'show' };

/** Tells a person who looks elsewhere what has come to wait: halts, sessions that go no further, and runs outside of sessions that ended. */
export function waitingNotices({ root, hosted, sessionOf, notifier, now }: WaitingNoticesParts) {
  const tell = (notice: Omit<Notice, 'project' | 'at'>): void => {
    notifier.notify({ ...notice, project: root, at: now() });
  };
  const haltsOf = (run: RunId) => hosted.find(run)?.run.halts() ?? [];

  const heard = (event: RoboSmithEvent): void => {
    const { run_id: run } = event;
    if (event.type === 'run.halted') {
      const title = sessionOf(run)?.title;
      // What goes on by itself waits for nobody.
      for (const { halt_id, block, why } of haltsOf(run).filter(({ until }) => until === null))
        if (event.halts.includes(halt_id))
          tell({
            title: `${title === undefined ? '' : `${title}: `}${block} waits`,
            text: whyText(why),
            command: `robosmith inbox`,
            ...{ run, session: sessionOf(run)?.id ?? null },
          });
    } else if (event.type === 'run.finished' && (event.outcome === 'completed' || event.outcome === 'failed')) {
      if (sessionOf(run) !== null) return;
      const title = `Run ${run} has ${event.outcome}`;
      tell({ title, text: root, command: `robosmith runs show ${run}`, run, session: null });
    }
  };

  const changed = ({ id, title, state, job, why, runs }: Session): void => {
    const [is, verb, run] = [IS[state], NEXT[state], runs.at(-1)];
    if (is === undefined || verb === undefined || (state === 'ready' && job === null)) return;
    if (state === 'halted' && run !== undefined && haltsOf(run).length > 0) return;
    const command = `robosmith sessions ${verb} ${id}`;
    tell({ title: `${title} ${is}`, text: why ?? root, command, run: run ?? null, session: id });
  };

  return { heard, changed };
}
