import type { createIntentLock } from '#actors/engine-lock/index.ts';
import type { createEventLog } from '#actors/event-log/index.ts';
import type { Place } from '#actors/journal/index.ts';
import { newId } from '#io/clock/identity.ts';
import { storedPath } from '#io/files/stored-path.ts';
import type { RunId } from '#protocol/id.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunPorts } from '#protocol/run.ts';
import type { Session } from '#protocol/session.ts';
import type { KeptRun } from '../durable/begin-run.ts';
import { forkRun } from '../durable/fork-run.ts';
import { pruneRuns } from '../durable/prune.ts';
import type { RunStore } from '../durable/run-store.ts';
import { inputProblem } from '../run/check-inputs.ts';
import { newRunId } from '../durable/start-stored-run.ts';
import { realPorts } from '../run/ports.ts';
import { createChangeReader } from '../changes/change-reader.ts';
import { usesContext } from '../run/read-slice.ts';
import { whyNoRun } from '../sessions/model/session-runs.ts';
import type { WorkInProgress } from '../sessions/model/work-in-progress.ts';
import type { ProjectSessions } from '../sessions/project-sessions.ts';
import { createAttachedRuns } from './attached-runs.ts';
import type { Engine } from './engine.ts';
import type { EngineServices } from './engine-services.ts';
import { createExclusiveRuns } from './exclusive-run.ts';

interface EngineRunsParts {
  readonly root: string;
  readonly place: Place;
  readonly store: RunStore;
  readonly events: Pick<ReturnType<typeof createEventLog>, 'write' | 'runEnded'>;
  readonly intents: Pick<ReturnType<typeof createIntentLock>, 'begin' | 'end'>;
  readonly services: Pick<EngineServices, 'secrets' | 'context' | 'portsIn'>;
  readonly sessions: () => ProjectSessions;
  /** Executions of workers, which may outlive their runs. */
  readonly workers: Pick<WorkInProgress, 'add'>;
  /** Runs a function; what it throws is reported as a warning. */
  readonly quietly: (work: () => void) => void;
  readonly now: () => number;
  readonly unique: () => string;
}

export interface EngineRuns extends Pick<
  Engine,
  'start' | 'newRun' | 'resume' | 'fork' | 'sessionOf' | 'cancel' | 'prune'
> {
  /** The runs that this engine holds. */
  readonly held: ReadonlyMap<RunId, KeptRun>;
}

/** Creates the runs that an engine holds, and what starts, resumes and ends them. */
export function createEngineRuns(parts: EngineRunsParts): EngineRuns {
  const { root, place, store, events, intents, services, sessions, quietly, now, unique } = parts;
  const { secrets, context } = services;
  const runs = new Map<RunId, KeptRun>();
  const hand = createExclusiveRuns(
    (id) => runs.has(id),
    (id) => store.cancel(id, realPorts(root)),
  );
  const { attend, logEvents } = createAttachedRuns({
    runs,
    events,
    intents,
    sessions,
    quietly,
    redact: secrets.redact,
  });
  const onExecution = (execution: Promise<unknown>): void => void parts.workers.add(execution);
  const onDispatch: Parameters<RunStore['start']>[5] = (run, node) => intents.begin({ kind: 'run', run, node });

  /** Removes known secrets from the texts that a person gives to a run, before they are stored. */
  const redacted = <Key extends string>(
    given: { readonly [Name in Key]?: string | undefined },
    key: Key,
  ): Partial<Record<Key, string>> => {
    const text = given[key];
    return text === undefined ? {} : ({ [key]: secrets.redact(text) } as Record<Key, string>);
  };

  const portsIn = (directory: string, session: Session | null, id: RunId): RunPorts => {
    const changes = createChangeReader({
      root,
      directory,
      session: () => (session === null ? null : sessions().sink().get(session.id)),
      redact: secrets.redact,
    });
    const ports = { ...services.portsIn(directory, onExecution), changes };
    return session === null ? ports : sessions().ports(ports, session, { id, directory });
  };

  /**
   * Starts the server with the run if the workflow uses code analysis, also for a resumed run. Returns a function that
   * releases the server.
   */
  const holdFor = (graph: Graph, directory: string): (() => void) =>
    usesContext(graph) ? context.servers.hold(directory) : () => undefined;

  const start: Engine['start'] = (workflow, options, directory, id = newRunId({ newId })) => {
    const problem = inputProblem(workflow.graph, options.input);
    if (problem !== null) throw new RoboSmithError('usage', problem.message, { next: ['robosmith manifest show'] });
    const session = options.session === undefined ? null : sessions().sink().get(options.session);
    const run = store.start(
      workflow,
      { ...options, ...logEvents(options, session), ...redacted(options, 'input') },
      portsIn(directory, session, id),
      storedPath(root, directory),
      'where_it_answers',
      onDispatch,
      id,
    );
    return attend(run, session, holdFor(workflow.graph, directory));
  };

  const resume: Engine['resume'] = (id, directory, companions, choices) => {
    hand.checkFree(id);
    const session = sessions().of(id);
    const why = session === null ? null : whyNoRun(session);
    if (why !== null) throw why;
    const run = store.resume(id, logEvents(companions, session), portsIn(directory, session, id), {
      ...choices,
      ...(choices === undefined ? {} : redacted(choices, 'guidance')),
      onDispatch,
    });
    return attend(run, session);
  };

  return {
    held: runs,
    start,
    resume,
    newRun: () => newRunId({ newId }),
    sessionOf: (id) => sessions().of(id),
    fork: (id, step) => forkRun(place, id, step, { now, newId }),
    cancel: hand.end,
    prune: (rules, stay = []) => {
      // Empties the shared log into the journals, so that no entry of a removed run is written later.
      store.settleAll();
      return pruneRuns(place, rules, unique, now(), new Set([...runs.keys(), ...hand.ending, ...stay]));
    },
  };
}
