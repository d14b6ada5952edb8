import path from 'node:path';
import type { AnyActorRef } from 'xstate';
import { createControlInbox } from '#actors/control/index.ts';
import { acquireEngineLock, createIntentLock } from '#actors/engine-lock/index.ts';
import { createEventLog, lastSequence, removeUnnamedBlobs } from '#actors/event-log/index.ts';
import { createInspector } from '#actors/inspection/index.ts';
import { createProcessRegister } from '#actors/process-register/index.ts';
import type { Place } from '#actors/journal/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { folderWatch } from '#io/files/folder-watch.ts';
import { newId } from '#io/clock/identity.ts';
import { liveness } from '#io/process/process-identity.ts';
import { checkStateInside } from '#io/files/state-elsewhere.ts';
import { looseTimeout } from '#io/clock/loose-timeout.ts';
import { nextTurn } from '#io/clock/next-turn.ts';
import { wallClock } from '#io/clock/clock.ts';
import type { RunId } from '#protocol/id.ts';
import type { Graph } from '#protocol/graph.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { RunPorts } from '#protocol/run.ts';
import { realPorts } from '../run/ports.ts';
import { createBranchMoves, guardedBranches } from '../sessions/model/branch-moves.ts';
import { projectSessions } from '../sessions/project-sessions.ts';
import { whyNoRun } from '../sessions/model/session-runs.ts';
import { attending } from './attached-runs.ts';
import { controlOf } from './control-runs.ts';
import { createFence } from './fence.ts';
import { keyStandIns, queueStandIn } from './stand-ins.ts';
import { forkRun } from '../durable/fork-run.ts';
import { runsOfSessions } from './runs-of-sessions.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { createProcesses } from '#io/process/process.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import { createAgentCalls } from '../ai/agent-calls.ts';
import { createModelCalls } from '../ai/model-calls.ts';
import { createKnownSecrets } from '../keys/known-secrets.ts';
import { keyPlaces } from '../keys/key-places.ts';
import type { KeyPlaces } from '../keys/load-keys.ts';
import { createUnderWay } from '../sessions/model/work-in-progress.ts';
import { endLeftProcesses } from './end-left-processes.ts';
import { pruneRuns } from '../durable/prune.ts';
import { semanticVerdicts } from '../context/semantic-verdicts.ts';
import { createProjectContext } from '../context/project-context.ts';
import { usesContext } from '../run/read-slice.ts';
import { taskTitle } from '../tasks/task-title.ts';
import { createTaskKeeper } from '../tasks/task-keeper.ts';
import { taskPlace } from '../tasks/task-place.ts';
import type { KeptRun } from '../durable/begin-run.ts';
import type { Engine, OpenedEngine, OpenEngineOptions } from './engine.ts';
import { oneHand } from './exclusive-run.ts';
import { createRunStore, newRunId } from '../durable/run-store.ts';
import { redactorOfTurn } from './redactor-of-turn.ts';
import { strikeOutLeftovers, sweepLeftovers } from './sweep-leftovers.ts';

/**
 * Returns a directory as stored: relative with `/` inside the project, so that the project can be moved; otherwise
 * absolute.
 */
function storedDirectory(root: string, directory: string): string {
  const relative = path.relative(root, directory);
  if (relative === '') return '.';
  return relative.startsWith('..') || path.isAbsolute(relative) ? directory : relative.split(path.sep).join('/');
}

/**
 * Takes over a project's engine, if it has no owner or its owner is dead. Throws `corrupt_state` if the stored state
 * can't be read, `unsafe_path` if it is not inside the project.
 */
export function openEngine(
  root: string,
  { warn, calls = fileCalls, socket = null, keys, onPrompt }: OpenEngineOptions,
): OpenedEngine {
  checkStateInside(root);
  const folder = path.join(root, '.flow');
  const fence = createFence(calls);
  const place: Place = { calls: fence.calls, folder };
  const now = (): number => wallClock.now();
  const unique = (): string => newId(6);
  const lock = acquireEngineLock({ calls, folder, liveness, newId: unique, now, socket });
  if (!lock.ok) return lock;
  try {
    return {
      ok: true,
      engine: createEngine(root, place, lock, {
        warn,
        now,
        unique,
        keys: keys ?? keyPlaces(process.env),
        onPrompt,
        unfenced: calls,
        shut: fence.shut,
      }),
    };
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

interface OwnedLock {
  readonly id: string;
  release(): void;
  /** Null if no owner has died. */
  readonly tookOver: object | null;
}

interface Means {
  readonly warn: (message: string) => void;
  readonly now: () => number;
  readonly unique: () => string;
  readonly keys: KeyPlaces;
  /** File calls for data that the next owner treats as left by a dead process, so that late writes do no harm. */
  readonly unfenced: FileCalls;
  /** Stops all writes to the state. */
  readonly shut: () => void;
  readonly onPrompt?: OpenEngineOptions['onPrompt'] | undefined;
}

function createEngine(
  root: string,
  place: Place,
  lock: OwnedLock,
  { warn, now, unique, keys, unfenced, shut, onPrompt }: Means,
): Engine {
  const { calls, folder } = place;
  const intents = createIntentLock({ calls, folder, self: liveness.self, newId: unique, now, warn });
  const events = createEventLog({ calls, folder, newId, now, warn, schedule: nextTurn });
  const runs = new Map<RunId, KeptRun>();
  const workers = createUnderWay();
  const sessionWork = createUnderWay();
  const secrets = createKnownSecrets(keys.environment);
  const { redactOutput } = secrets;
  const shown = redactorOfTurn(secrets.redactor, nextTurn);
  const inspector = createInspector({ now, redact: shown.redact, warn });
  const observe = (name: string, actor: object): void => inspector.watch(name, actor as AnyActorRef);
  const moves = createBranchMoves();
  const agents = createAgentCalls({
    root,
    calls,
    environment: keys.environment,
    now,
    warn,
    secrets,
    branches: { ...moves, list: () => guardedBranches(sessions.known()) },
  });
  const models = createModelCalls({
    root,
    calls: unfenced,
    places: keys,
    now,
    warn,
    onPrompt,
    secrets,
    onKeys: inspector.changed,
  });
  const register = createProcessRegister({
    calls: unfenced,
    folder,
    identify: liveness.identify,
    self: () => liveness.self,
    warn,
  });
  const context = createProjectContext({ root, folder, register, now, environment: keys.environment, observe });
  const store = createRunStore({
    place,
    nextTurn,
    afterMs: looseTimeout,
    elapsed: () => performance.now(),
    warn,
    claim: lock.id,
    lastEvent: (run) => lastSequence(calls, folder, run),
  });

  const hand = oneHand(
    (id) => runs.has(id),
    (id) => store.cancel(id, realPorts(root)),
  );

  const inbox = createControlInbox(
    { calls, folder, watch: folderWatch, newId: unique, now, report: warn },
    controlOf({ runs, hand }),
  );

  const quietly = (work: () => void): void => {
    try {
      work();
    } catch (thrown) {
      warn(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };

  const takeOver = (): void => {
    sweepLeftovers(place);
    strikeOutLeftovers(place, intents);
  };
  if (lock.tookOver !== null) {
    quietly(takeOver);
    quietly(() => removeUnnamedBlobs(calls, folder));
  }
  // Also for an owner that had released the engine and was killed before it closed its log.
  quietly(models.takeOver);
  quietly(() => endLeftProcesses(place, warn));

  const { attend, tellEvents } = attending({
    runs,
    events,
    intents,
    sessions: () => sessions,
    quietly,
    redact: secrets.redact,
  });

  /** Takes known secrets out of a text that a person gives to a run, before it is stored. */
  const redacted = <Key extends string>(
    given: { readonly [Name in Key]?: string | undefined },
    key: Key,
  ): Partial<Record<Key, string>> => {
    const text = given[key];
    return text === undefined ? {} : ({ [key]: secrets.redact(text) } as Record<Key, string>);
  };

  const portsIn = (directory: string, session: Session | null, id: RunId): RunPorts => {
    const ports: RunPorts = {
      ...realPorts(directory, register, models, agents, root, redactOutput),
      onExecution: (execution) => void workers.add(execution),
      context: context.queries,
      taskTitle: (key) => taskTitle(taskPlace(folder, calls), key),
      observe,
    };
    return session === null ? ports : sessions.ports(ports, session, { id, directory });
  };

  /** A run that will ask has its server from the start, also when it is resumed from a question. */
  const holdFor = (graph: Graph, directory: string): (() => void) =>
    usesContext(graph) ? context.servers.hold(directory) : () => undefined;

  const engine: Engine = {
    sessions: (means) => sessions.open(means),
    sessionWork,
    newRun: () => newRunId({ newId }),
    tasks: createTaskKeeper({ root, place: taskPlace(folder, calls), intents }),
    start: (workflow, options, directory, id = newRunId({ newId })) => {
      const session = options.session === undefined ? null : sessions.sink().get(options.session);
      const run = store.start(
        workflow,
        { ...options, ...tellEvents(options, session), ...redacted(options, 'input') },
        portsIn(directory, session, id),
        storedDirectory(root, directory),
        'where_it_answers',
        (run_, node) => intents.begin({ kind: 'run', run: run_, node }),
        id,
      );
      return attend(run, session, holdFor(workflow.graph, directory));
    },
    resume: (id, directory, companions, choices) => {
      hand.checkFree(id);
      const session = sessions.of(id);
      const why = session === null ? null : whyNoRun(session);
      if (why !== null) throw why;
      const run = store.resume(id, tellEvents(companions, session), portsIn(directory, session, id), {
        ...choices,
        ...(choices === undefined ? {} : redacted(choices, 'guidance')),
        onDispatch: (run_, node) => intents.begin({ kind: 'run', run: run_, node }),
      });
      return attend(run, session);
    },
    sessionOf: (id) => sessions.of(id),
    fork: (id, step) => forkRun(place, id, step, { now, newId }),
    cancel: hand.end,
    call: (graph, ...order) => models.serviceFor(graph).call(...order),
    prune: (rules, stay = []) => {
      // Nothing of a removed run may come back from the shared log.
      store.settleAll();
      return pruneRuns(place, rules, unique, now(), new Set([...runs.keys(), ...hand.ending, ...stay]));
    },
    forgetSnapshots: (gone) => sessions.forget(gone),
    forgiveKey: models.forgive,
    keysChanged: () => {
      shown.renew();
      models.keysChanged();
    },
    inspect: inspector.subscribe,
    close: () => {
      inbox.stop();
      quietly(store.close);
      events.close();
      context.servers
        .close()
        .catch((thrown: unknown) => warn(`a code analysis server can't be ended: ${messageOf(thrown)}`));
      models
        .close()
        .catch((thrown: unknown) => warn(`the connections to models can't be closed: ${messageOf(thrown)}`));
      shut();
      if (workers.isIdle() && sessionWork.isIdle()) quietly(lock.release);
      else warn('a task ignored the stop request; the engine lock is kept until it ends');
    },
  };
  const tell = (moved: SessionMoved): void => {
    events.writeMove(moved);
    inspector.changed();
  };
  const sessions = projectSessions(
    {
      root,
      folder,
      calls,
      now,
      newId,
      warn,
      underWay: sessionWork,
      moves,
      tell,
      observe,
      verdicts: semanticVerdicts(context.servers),
      git: createGit(createProcesses(register)),
      processes: createProcesses(register, redactOutput),
      environment: keys.environment,
      redact: secrets.redact,
    },
    runsOfSessions({ place, runs, now, newId }, () => engine),
  );
  inspector.watchStandIns(() => [...keyStandIns(models.keys()), queueStandIn(sessions.known())]);
  return engine;
}
