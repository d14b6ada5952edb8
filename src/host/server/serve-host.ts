import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  createNotifier,
  type Engine,
  type engineOwner,
  openEngine,
  projectSessions,
  type Sessions,
  watchProject,
} from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { type HelloResult, HOST_PROTOCOL, type HostStatus, STOP_MODES, type StopResult } from '#protocol/host.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { SecureStorageService } from '#protocol/secure-storage.ts';
import type { ClientLimits } from './attend-client.ts';
import { createEventFeed } from './event-feed.ts';
import { eventMethods } from './event-methods.ts';
import { createHostedRuns } from './hosted-runs.ts';
import { type HostPlace, newHostPlace, sweepPlaces } from '../wire/host-place.ts';
import { idleWatch } from './idle.ts';
import { inspectMethods } from './inspect-methods.ts';
import { listen, type Listening } from './listen.ts';
import { callerOf, type MethodTable, methodTable, type Methods } from './methods.ts';
import { keyMethods, offeredKeys } from './offered-keys.ts';
import { pacedLooks } from './adaptive-poll.ts';
import { modelMethods } from './model-methods.ts';
import { oneOf, paramsOf } from './read-params.ts';
import { adoptTimed } from './adopt-timed.ts';
import { adopt, type BeginParts, stoppingError } from './begin-runs.ts';
import { runMethods } from './run-methods.ts';
import { waitingNotices } from './waiting-notices.ts';
import { createSessionFeed } from './session-feed.ts';
import { sessionFeedMethods } from './session-feed-methods.ts';
import { sessionMethods } from './session-methods.ts';
import { createStopper, type StopMode } from './stop-host.ts';
import { sessionFileMethod } from './session-file-method.ts';
import { checkTrust, trustMethods } from './trust-methods.ts';
import { userKeyMethods } from './user-key-methods.ts';
import { createViewHub } from './views/view-hub.ts';
import { viewMethods } from './views/view-methods.ts';
import { openViewLayouts } from './views/lay-out.ts';

/** Halts answered within this time cause no notification. */
const ANSWERED_AT_ONCE_MS = 300;

type Owner = NonNullable<ReturnType<typeof engineOwner>>;

export interface HostParts {
  /** The absolute real path of the project. */
  readonly root: string;
  /** The program's version. */
  readonly version: string;
  readonly environment: Record<string, string | undefined>;
  readonly keychain?: SecureStorageService | undefined;
  /** Returns whether the user has trusted this graph in this directory. */
  readonly trusts: (graph: Graph, directory: string) => Promise<boolean>;
  /** Idle time in milliseconds after which the host ends. */
  readonly idleMs: number;
  readonly log: (message: string) => void;
  readonly limits?: Partial<ClientLimits>;
}

export interface Host {
  readonly status: () => HostStatus;
  /** Resolves when the host has stopped, or refused to. With `wait`, once nothing is active. */
  stop(mode: StopMode): Promise<StopResult>;
  /** Resolves when the host has stopped, for whatever reason. */
  readonly stopped: Promise<void>;
}

export type Served = { readonly ok: true; readonly host: Host } | { readonly ok: false; readonly owner: Owner };

/** Owns a project's engine and serves it to clients. */
export async function serveHost(parts: HostParts): Promise<Served> {
  const { root, environment, keychain, log } = parts;
  const place = newHostPlace(root, environment);
  const keys = offeredKeys({ environment, keychain });
  const opened = openEngine(root, { warn: log, socket: place.socket, keys: keys.places });
  if (!opened.ok) return opened;
  const { engine } = opened;
  try {
    quietly(() => sweepPlaces(root, place), log);
    return { ok: true, host: await serve(parts, place, engine, keys) };
  } catch (thrown) {
    rmSync(place.token, { force: true });
    engine.close();
    throw thrown;
  }
}

/** Calls later, without keeping the process alive. */
function afterUnref(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
}

function quietly(work: () => void, log: HostParts['log']): void {
  try {
    work();
  } catch (thrown) {
    log(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

async function serve(
  { root, version, environment, trusts, idleMs, log, limits }: HostParts,
  place: HostPlace,
  engine: Engine,
  offered: ReturnType<typeof offeredKeys>,
): Promise<Host> {
  const about: HelloResult = { protocol: HOST_PROTOCOL, version, pid: process.pid, root, since: Date.now() };
  const feed = createEventFeed();
  let opening: Promise<unknown> = Promise.resolve();
  const hosted = createHostedRuns({
    publish: (event) => {
      feed.publish(event);
      notices.heard(event);
    },
    onChange: () => idle.look(),
  });
  const notifier = createNotifier(environment, log);
  const notices = waitingNotices({
    root,
    hosted,
    notifier,
    sessionOf: engine.sessionOf,
    soon: (work) => void setTimeout(work, ANSWERED_AT_ONCE_MS).unref(),
    now: () => Date.now(),
  });
  const sessionFeed = createSessionFeed({
    rows: () => projectSessions(root),
    watch: (onChange) => watchProject(root, onChange),
    after: afterUnref,
    now: () => performance.now(),
  });
  const { sessionWork } = engine;
  let socket: Listening | null = null;
  /** A file that a person has finished editing in a worktree may unblock waiting sessions. */
  const handWork = pacedLooks({
    look: async () => {
      const { manager, lookAround } = await sessions();
      if (manager.list().some(({ state }) => state === 'queued')) await lookAround(stopper.isClosing);
      else handWork.end();
    },
    after: afterUnref,
    now: () => performance.now(),
  });
  const stopper = createStopper({ hosted, sessionWork, opening: () => opening, log }, async () => {
    idle.stop();
    handWork.end();
    // The answer to the stop request is still being sent; closing the socket waits for it.
    try {
      await socket?.close();
    } finally {
      engine.close();
      await layouts.close();
    }
  });
  const status = (): HostStatus => ({
    ...about,
    socket: place.socket,
    running: hosted.moving(),
    busy: sessionWork.sessions(),
    waiting: hosted.waiting(),
    due: hosted.due(),
    clients: socket?.clients() ?? 0,
    stopping: stopper.isStopping(),
    memory: process.memoryUsage.rss(),
  });
  const idle = idleWatch({
    isIdle: () =>
      hosted.moving().length === 0 &&
      hosted.waiting().length === 0 &&
      sessionWork.isIdle() &&
      (socket?.clients() ?? 0) === 0,
    afterMs: idleMs,
    isGone: () => !existsSync(path.join(root, '.flow')),
    onIdle: () => void stopper.stop('idle'),
    due: hosted.due,
    onDue: hosted.goOn,
    now: () => Date.now(),
  });
  sessionWork.onEnd(() => idle.look());
  const own: Methods<'status' | 'host.stop'> = {
    status,
    'host.stop': (params) => stopper.stop(oneOf(paramsOf(params), 'mode', STOP_MODES)),
  };
  const beginning: BeginParts = {
    root,
    engine,
    hosted,
    trusts,
    environment,
    log,
    isStopping: stopper.isStopping,
    isClosing: stopper.isClosing,
  };

  // A session's run that was being prepared when the stop was requested may still start.
  const inSession: BeginParts = { ...beginning, isStopping: stopper.isClosing };
  const sessions = (): Promise<Sessions> =>
    engine.sessions({
      hands: { adopt: (begin) => adopt(inSession, 0, begin), letGo: hosted.letGo },
      mayStart: () => !stopper.isStopping(),
      onMoved: (session, by, moved) => {
        if (moved.to === 'queued') handWork.ask();
        sessionFeed.moved(moved);
        notices.moved(session, by);
      },
    });
  const mayBegin = (): void => {
    if (stopper.isStopping()) throw stoppingError();
  };
  const trustParts = { root, environment };
  const layouts = openViewLayouts();
  const hub = createViewHub({
    root,
    feed,
    hosted,
    log,
    now: () => Date.now(),
    layOut: layouts.layOut,
    checkTrust: () => checkTrust(trustParts),
    call: callerOf(() => methods),
  });
  const runs = runMethods(beginning);
  const methods: MethodTable = methodTable(
    own,
    runs.methods,
    sessionMethods(sessions, mayBegin),
    eventMethods({ root, hosted, feed }),
    sessionFeedMethods(sessionFeed),
    keyMethods(offered.take, {
      changed: () => engine.keysChanged(),
      forgive: (alias) => engine.forgiveKey(alias),
    }),
    userKeyMethods({ root, places: offered.ofClients, changed: engine.keysChanged }),
    sessionFileMethod(root),
    modelMethods({ root, call: engine.call, checkTrust: () => checkTrust(trustParts), mayBegin }),
    trustMethods(trustParts),
    viewMethods(hub),
    inspectMethods(engine.inspect),
  );
  socket = await listen({
    place,
    about,
    methods,
    log,
    onChange: () => idle.look(),
    ...(limits === undefined ? {} : { limits }),
  });
  // Queued sessions and timed runs of the previous host continue.
  opening = sessions()
    .then(handWork.ask, (thrown: unknown) => log(messageOf(thrown)))
    .then(() => adoptTimed(runs.resume, { root, hosted, log, isStopping: stopper.isStopping }));
  idle.look();
  return { status, stop: stopper.stop, stopped: stopper.stopped };
}
