import type { createIntentLock } from '#actors/engine-lock/index.ts';
import type { createEventLog } from '#actors/event-log/index.ts';
import type { RoboSmithEvent, RunOutcome } from '#protocol/event.ts';
import type { RunId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { ProjectSessions } from '../sessions/project-sessions.ts';
import { followRun } from '../sessions/model/session-runs.ts';
import type { KeptRun } from '../durable/begin-run.ts';
import type { UnstoredOptions } from '../durable/start-data.ts';

interface AttachedRunsParts {
  /** Removes known secrets from a text. */
  readonly redact: (text: string) => string;
  /** Active runs. */
  readonly runs: Map<RunId, KeptRun>;
  readonly events: Pick<ReturnType<typeof createEventLog>, 'write' | 'runEnded'>;
  readonly intents: Pick<ReturnType<typeof createIntentLock>, 'end'>;
  readonly sessions: () => ProjectSessions;
  /** Runs a function; what it throws is reported as a warning. */
  readonly quietly: (work: () => void) => void;
}

const outcomeOf = ({ status }: { readonly status: string }): Exclude<RunOutcome, 'paused'> | null =>
  status === 'completed' || status === 'failed' || status === 'cancelled' || status === 'interrupted' ? status : null;

const endsBlock = ({ type }: RoboSmithEvent): boolean => type === 'block.finished' || type === 'block.failed';

/** Attaches observers to active runs: the event log, the intent lock, and the session. */
export function createAttachedRuns({ runs, events, intents, sessions, quietly, redact }: AttachedRunsParts) {
  /** Attaches the observers to a run from its dispatch until it waits or has ended. Then `letGo` is called. */
  const attend = (run: KeptRun, session: Session | null, letGo: () => void = () => undefined): KeptRun => {
    runs.set(run.id, run);
    const followed = session === null ? null : followRun(sessions().sink(), session.id, run.id);
    quietly(() => followed?.began());
    return {
      ...run,
      answer: (halt, answer) => {
        const { guidance } = answer;
        const outcome = run.answer(halt, guidance === undefined ? answer : { ...answer, guidance: redact(guidance) });
        if (outcome.accepted) quietly(() => followed?.began());
        return outcome;
      },
      release: () => {
        run.release();
        letGo();
        runs.delete(run.id);
      },
      settled: async () => {
        const response = await run.settled();
        letGo();
        const outcome = outcomeOf(run.summary());
        if (outcome !== null) events.runEnded(run.id, outcome);
        if (response.reason !== 'halted') runs.delete(run.id);
        quietly(() => intents.end({ kind: 'run', run: run.id }));
        const concluded = session === null ? null : await sessions().conclude(session.id, run.id, response);
        // The files that the session has changed are recorded before the run is reported as ready, because other
        // sessions may wait for these files.
        if (session !== null) await sessions().refresh(session.id);
        // The halt was answered meanwhile.
        const isPast = response.reason === 'halted' && run.summary().status === 'running';
        if (!isPast) quietly(() => followed?.settled(response, sessions().warning(run.id), concluded));
        return response;
      },
    };
  };

  const logEvents = (companions: UnstoredOptions, session: Session | null): UnstoredOptions => ({
    ...companions,
    onEvent: (event) => {
      events.write(event);
      if (session !== null && endsBlock(event)) void sessions().refresh(session.id);
      companions.onEvent?.(event);
    },
  });
  return { attend, logEvents };
}
