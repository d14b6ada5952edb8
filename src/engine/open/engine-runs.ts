import type { createIntentLock } from '#actors/engine-lock/index.ts';
import type { createEventLog } from '#actors/event-log/index.ts';
import type { Place } from '#actors/journal/index.ts';
import { newId } from '#io/clock/identity.ts';
import { storedPath } from '#io/files/stored-path.ts';
import type { RunId } from '#protocol/id.ts';
import type { Environment } from '#protocol/environment.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunPorts } from '#protocol/run.ts';
import type { Session } from '#protocol/session.ts';
import type { KeptRun } from '../durable/begin-run.ts';
import { storeForecastAtStart } from '../forecast/forecast-start.ts';
import { forkRun } from '../durable/fork-run.ts';
import { pruneRuns } from '../durable/prune.ts';
import type { RunStore } from '../durable/run-store.ts';
import { changedVariables } from '../run/run-environment.ts';
import { runDetails } from '../durable/project.ts';
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
import type { Environments } from './environments.ts';
import { createExclusiveRuns } from './exclusive-run.ts';

interface EngineRunsParts {
  readonly root: string;
  readonly place: Place;
  readonly store: RunStore;
  readonly events: Pick<ReturnType<typeof createEventLog>, 'write' | 'runEnded'>;
  readonly intents: Pick<ReturnType<typeof createIntentLock>, 'begin' | 'end'>;
  readonly services: Pick<EngineServices, 'secrets' | 'context' | 'portsIn' | 'environment'>;
  readonly sessions: () => ProjectSessions;
  /** Executions of workers, which may outlive their runs. */
  readonly workers: Pick<WorkInProgress, 'add'>;
  /** Runs a function; what it throws is reported as a warning. */
  readonly quietly: (work: () => void) => void;
  readonly warn: (message: string) => void;
  readonly environments: Environments;
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

/** Removes known secrets from the text that a person gives to a run under `key`, before it is stored. */
function redacted<Key extends string>(
  given: { readonly [Name in Key]?: string | undefined },
  key: Key,
  redact: (text: string) => string,
): Partial<Record<Key, string>> {
  const text = given[key];
  return text === undefined ? {} : ({ [key]: redact(text) } as Record<Key, string>);
}

/** Reports that a run continues with the environment of this process, if that differs from the run's last one. */
function warnOfEnvironment(id: RunId, { root, services, quietly, warn }: EngineRunsParts): void {
  quietly(() => {
    const changed = changedVariables(runDetails(root, id)?.environment ?? null, services.environment);
    if (changed.length > 0)
      warn(
        `${id} continues with the environment of the engine, because no terminal has resumed it; changed since its last start: ${changed.join(', ')}`,
      );
  });
}

/** Creates the runs that an engine holds, and what starts, resumes and ends them. */
export function createEngineRuns(parts: EngineRunsParts): EngineRuns {
  const { root, place, store, events, intents, services, sessions, quietly, now, unique, environments } = parts;
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

  const portsIn = (directory: string, session: Session | null, id: RunId, environment: Environment): RunPorts => {
    const changes = createChangeReader({
      root,
      directory,
      session: () => (session === null ? null : sessions().sink().get(session.id)),
      redact: secrets.redact,
    });
    const ports = { ...services.portsIn(directory, onExecution, environment), changes };
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
    const environment = options.environment ?? environments.of(id, session?.id) ?? services.environment;
    environments.keep(id, options.environment);
    const run = store.start(
      workflow,
      { ...options, ...logEvents(options, session), ...redacted(options, 'input', secrets.redact), environment },
      portsIn(directory, session, id, environment),
      storedPath(root, directory),
      'where_it_answers',
      onDispatch,
      id,
    );
    // A run whose answers are scripted costs nothing that a forecast could tell.
    if (options.script === undefined) quietly(() => storeForecastAtStart(place, run.id, workflow.graph, options.start));
    return attend(run, session, holdFor(workflow.graph, directory));
  };

  const resume: Engine['resume'] = (id, directory, companions, choices) => {
    hand.checkFree(id);
    const session = sessions().of(id);
    const why = session === null ? null : whyNoRun(session);
    if (why !== null) throw why;
    const known = companions.environment ?? environments.of(id, session?.id);
    const environment = known ?? services.environment;
    environments.keep(id, companions.environment);
    if (known === null) warnOfEnvironment(id, parts);
    const asked = { ...logEvents(companions, session), environment };
    const run = store.resume(id, asked, portsIn(directory, session, id, environment), {
      ...choices,
      ...(choices === undefined ? {} : redacted(choices, 'guidance', secrets.redact)),
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
