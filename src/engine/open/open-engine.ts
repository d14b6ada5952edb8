import path from 'node:path';
import { acquireEngineLock, createIntentLock } from '#actors/engine-lock/index.ts';
import { createEventLog, lastSequence, removeUnnamedBlobs } from '#actors/event-log/index.ts';
import type { Place } from '#actors/journal/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { isOfStep } from '#io/process/is-of-step.ts';
import { newId } from '#io/clock/identity.ts';
import { liveness } from '#io/process/process-identity.ts';
import { checkStateInside } from '#io/files/state-elsewhere.ts';
import { looseTimeout } from '#io/clock/long-timeout.ts';
import { nextTurn } from '#io/clock/turn-budget.ts';
import { wallClock } from '#io/clock/clock.ts';
import { messageOf } from '#protocol/message-of.ts';
import { projectSessions, type ProjectSessions } from '../sessions/project-sessions.ts';
import { createFence } from './fence.ts';
import { keyStandIns, queueStandIn } from './stand-ins.ts';
import { runsOfSessions } from './runs-of-sessions.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { createProcesses } from '#io/process/process.ts';
import { keyPlaces, type KeyPlaces } from '../keys/load-keys.ts';
import {
  type BranchMoves,
  createBranchMoves,
  guardedBranches,
  keepsFor,
  recordingGit,
} from '../sessions/model/branch-moves.ts';
import { createWorkInProgress, type WorkInProgress } from '../sessions/model/work-in-progress.ts';
import { endLeftProcesses } from './end-left-processes.ts';
import { semanticVerdicts } from '../code-analysis/semantic-verdicts.ts';
import { createTaskKeeper } from '../plan/task-keeper.ts';
import { taskPlace } from '../plan/task-place.ts';
import type { Engine, OpenedEngine, OpenEngineOptions } from './engine.ts';
import { createEnvironments, type Environments } from './environments.ts';
import { createEngineRuns, type EngineRuns } from './engine-runs.ts';
import { createEngineServices, type EngineServices } from './engine-services.ts';
import { createRunStore, type RunStore } from '../durable/run-store.ts';
import { removeLeftoverIntents, sweepLeftovers } from './sweep-leftovers.ts';

/**
 * Takes over a project's engine, if it has no owner or its owner is dead. Throws `corrupt_state` if the stored state
 * can't be read, `unsafe_path` if it is not inside the project.
 */
export function openEngine(
  root: string,
  { warn, calls = fileCalls, socket = null, isCommand = false, keys, onPrompt, onAnswer }: OpenEngineOptions,
): OpenedEngine {
  checkStateInside(root);
  const folder = path.join(root, '.flow');
  const now = (): number => wallClock.now();
  const unique = (): string => newId(6);
  const lock = acquireEngineLock({ calls, folder, liveness, newId: unique, now, socket, isCommand });
  if (!lock.ok) return lock;
  const fence = createFence(calls, lock.isHeld);
  const place: Place = { calls: fence.calls, folder };
  try {
    return {
      ok: true,
      engine: createEngine(root, place, lock, {
        warn,
        now,
        unique,
        keys: keys ?? keyPlaces(process.env),
        onPrompt,
        onAnswer,
        unfenced: calls,
        fence,
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
  /** Details of the dead owner; null if the engine was not taken over from one. */
  readonly tookOver: object | null;
}

interface EngineParts {
  readonly warn: (message: string) => void;
  readonly now: () => number;
  readonly unique: () => string;
  readonly keys: KeyPlaces;
  /** File calls for data that the next owner treats as left by a dead process, so that late writes do no harm. */
  readonly unfenced: FileCalls;
  /** Stops all writes to the state. */
  readonly fence: Pick<ReturnType<typeof createFence>, 'shut' | 'isOwner'>;
  readonly onPrompt?: OpenEngineOptions['onPrompt'] | undefined;
  readonly onAnswer?: OpenEngineOptions['onAnswer'] | undefined;
}

/** Runs a function; what it throws is reported as a warning. */
type Quietly = (work: () => void) => void;

const quietlyWith =
  (warn: EngineParts['warn']): Quietly =>
  (work) => {
    try {
      work();
    } catch (thrown) {
      warn(messageOf(thrown));
    }
  };

/** Removes what a dead owner left unfinished in the state. */
function sweep(place: Place, intents: Parameters<typeof removeLeftoverIntents>[1], quietly: Quietly): void {
  quietly(() => {
    sweepLeftovers(place);
    removeLeftoverIntents(place, intents);
  });
  quietly(() => removeUnnamedBlobs(place.calls, place.folder));
}

interface EngineSessionsParts {
  readonly root: string;
  readonly place: Place;
  readonly services: EngineServices;
  readonly runs: EngineRuns;
  readonly events: Pick<ReturnType<typeof createEventLog>, 'writeMove'>;
  readonly inProgress: WorkInProgress;
  readonly moves: BranchMoves;
  readonly means: Pick<EngineParts, 'warn' | 'now' | 'keys'> & { readonly environments: Environments };
}

/** Creates the sessions whose runs this engine holds. */
function engineSessions({
  root,
  place,
  services,
  runs,
  events,
  inProgress,
  moves,
  means,
}: EngineSessionsParts): ProjectSessions {
  const { calls, folder } = place;
  const { now, warn, keys } = means;
  const { inspector, observe, register, context, secrets } = services;
  return projectSessions(
    {
      root,
      folder,
      calls,
      now,
      newId,
      warn,
      inProgress,
      moves,
      recordMove: (moved) => {
        events.writeMove(moved);
        inspector.changed();
      },
      observe,
      verdicts: semanticVerdicts(context.servers),
      git: recordingGit(createGit(createProcesses(register)), moves),
      processes: createProcesses(register, secrets.redactOutputIn(keys.environment)),
      environment: keys.environment,
      environmentOf: (session) => means.environments.of(null, session),
      processesOf: (session) => {
        const own = means.environments.of(null, session) ?? keys.environment;
        return createProcesses(register, secrets.redactOutputIn(own), () => own);
      },
      redact: secrets.redact,
      hasKey: secrets.isIn,
    },
    runsOfSessions({ place, runs: runs.held, now, newId }, runs),
  );
}

/** Creates the store of the runs that this engine holds. */
const engineStore = (place: Place, lock: OwnedLock, warn: EngineParts['warn']): RunStore =>
  createRunStore({
    place,
    nextTurn,
    afterMs: looseTimeout,
    elapsed: () => performance.now(),
    warn,
    claim: lock.id,
    lastEvent: (run) => lastSequence(place.calls, place.folder, run),
  });

function createEngine(root: string, place: Place, lock: OwnedLock, means: EngineParts): Engine {
  const { warn, now, unique, keys, unfenced, fence, onPrompt, onAnswer } = means;
  const { calls, folder } = place;
  const quietly = quietlyWith(warn);
  const intents = createIntentLock({ calls, folder, self: liveness.self, newId: unique, now, warn, nextTurn });
  const events = createEventLog({ calls, folder, newId, now, warn, schedule: nextTurn });
  const workers = createWorkInProgress();
  const sessionWork = createWorkInProgress();
  const moves = createBranchMoves();
  const branches = {
    ...moves,
    list: () => guardedBranches(sessions.known()),
    keeps: (ref: string) => keepsFor(sessions.known())(ref),
  };
  const services = createEngineServices({
    root,
    folder,
    calls,
    unfenced,
    keys,
    now,
    warn,
    onPrompt,
    onAnswer,
    branches,
  });
  const { models, inspector } = services;
  const environments = createEnvironments();
  const store = engineStore(place, lock, warn);
  const runs = createEngineRuns({
    root,
    place,
    store,
    events,
    intents,
    services,
    sessions: () => sessions,
    workers,
    quietly,
    warn,
    environments,
    now,
    unique,
  });
  const tasks = createTaskKeeper({ root, place: taskPlace(folder, calls), intents, isOfStep });
  if (lock.tookOver !== null) sweep(place, intents, quietly);
  // Always called, because the previous owner may have released the engine and been killed before it closed its call
  // log.
  quietly(models.takeOver);
  quietly(() => endLeftProcesses(place, warn));
  const sessions = engineSessions({
    root,
    place,
    services,
    runs,
    events,
    inProgress: sessionWork,
    moves,
    means: { ...means, environments },
  });
  inspector.watchStandIns(() => [...keyStandIns(models.keys()), queueStandIn(sessions.known())]);

  return {
    start: runs.start,
    newRun: runs.newRun,
    resume: runs.resume,
    fork: runs.fork,
    sessionOf: runs.sessionOf,
    cancel: runs.cancel,
    prune: runs.prune,
    sessions: (given) => sessions.open(given),
    sessionWork,
    environments,
    tasks,
    call: (graph, ...order) => models.serviceFor(graph).call(...order),
    forgetSnapshots: (gone) => sessions.forget(gone),
    noteKeyTest: models.noteKeyTest,
    keysChanged: services.keysChanged,
    inspect: inspector.subscribe,
    isOwner: fence.isOwner,
    close: () => {
      sessions.stop();
      quietly(store.close);
      quietly(intents.flush);
      events.close();
      services.close();
      fence.shut();
      if (workers.isIdle() && !sessionWork.needsLock()) quietly(lock.release);
      else warn('a task ignored the stop request; the engine lock is kept until it ends');
    },
  };
}
