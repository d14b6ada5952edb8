import { rmSync } from 'node:fs';
import { createNotifier, type Engine, type engineOwner, openEngine } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { type HelloResult, HOST_PROTOCOL, type HostStatus, STOP_MODES, type StopResult } from '#protocol/host.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { SecureStorageService } from '#protocol/secure-storage.ts';
import type { ClientLimits } from './attend-client.ts';
import { createEventFeed, type EventFeed } from './event-feed.ts';
import { createHostLifetime } from './host-lifetime.ts';
import { hostMethods } from './host-methods.ts';
import { createHostedRuns, type HostedRuns } from './hosted-runs.ts';
import { createHostedSessions } from './hosted-sessions.ts';
import { type HostPlace, newHostPlace, sweepPlaces } from '../wire/host-place.ts';
import { listen, type Listening } from './listen.ts';
import type { Methods } from './methods.ts';
import { offeredKeys } from './offered-keys.ts';
import { oneOf, paramsOf } from './read-params.ts';
import { adoptTimed } from './adopt-timed.ts';
import type { BeginParts } from './begin-runs.ts';
import { runMethods } from './run-methods.ts';
import { waitingNotices } from './waiting-notices.ts';
import type { StopMode } from './stop-host.ts';
import { openViewLayouts } from './views/lay-out.ts';
import { createStreams, type Streams } from './views/streams.ts';

/** A halt that is answered within this time, in milliseconds, causes no notification. */
const ANSWERED_AT_ONCE_MS = 300;

/** The time in milliseconds between two parts of an answer that are sent to views. */
const STREAM_MS = 40;

type Owner = NonNullable<ReturnType<typeof engineOwner>>;

interface HostParts {
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

interface Host {
  readonly status: () => HostStatus;
  /** Resolves when the host has stopped or has refused to stop. With `wait`, the host stops once nothing is active. */
  stop(mode: StopMode): Promise<StopResult>;
  /** Resolves when the host has stopped, for whatever reason. */
  readonly stopped: Promise<void>;
}

type ServeOutcome = { readonly ok: true; readonly host: Host } | { readonly ok: false; readonly owner: Owner };

/** Owns a project's engine and serves it to clients. */
export async function serveHost(parts: HostParts): Promise<ServeOutcome> {
  const { root, environment, keychain, log } = parts;
  const place = newHostPlace(root, environment);
  const keys = offeredKeys({ environment, keychain });
  const streams = createStreams((work) => void setTimeout(work, STREAM_MS).unref());
  const opened = openEngine(root, {
    warn: log,
    socket: place.socket,
    keys: keys.places,
    onAnswer: streams.take,
  });
  if (!opened.ok) return opened;
  const { engine } = opened;
  try {
    quietly(() => sweepPlaces(root, place), log);
    return { ok: true, host: await serve(parts, place, engine, keys, streams) };
  } catch (thrown) {
    rmSync(place.token, { force: true });
    engine.close();
    throw thrown;
  }
}

function quietly(work: () => void, log: HostParts['log']): void {
  try {
    work();
  } catch (thrown) {
    log(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** The runs of a host, with their events for clients and their notices for the user. */
interface ObservedRuns {
  readonly hosted: HostedRuns;
  readonly events: EventFeed;
  readonly notices: ReturnType<typeof waitingNotices>;
}

function createObservedRuns(
  { root, environment, log }: HostParts,
  sessionOf: Engine['sessionOf'],
  onChange: () => void,
): ObservedRuns {
  const events = createEventFeed();
  const hosted = createHostedRuns({
    publish: (event) => {
      events.publish(event);
      notices.heard(event);
    },
    onChange,
  });
  const notices = waitingNotices({
    root,
    hosted,
    notifier: createNotifier(environment, log),
    sessionOf,
    soon: (work) => void setTimeout(work, ANSWERED_AT_ONCE_MS).unref(),
    now: () => Date.now(),
  });
  return { hosted, events, notices };
}

async function serve(
  parts: HostParts,
  place: HostPlace,
  engine: Engine,
  offered: ReturnType<typeof offeredKeys>,
  streams: Streams,
): Promise<Host> {
  const { root, version, environment, trusts, idleMs, log, limits } = parts;
  const about: HelloResult = { protocol: HOST_PROTOCOL, version, pid: process.pid, root, since: Date.now() };
  let opening: Promise<unknown> = Promise.resolve();
  let socket: Listening | null = null;
  const clients = (): number => socket?.clients() ?? 0;
  const { hosted, events, notices } = createObservedRuns(parts, engine.sessionOf, () => look());
  const { sessionWork } = engine;
  const { stopper, look } = createHostLifetime({
    idleMs,
    hosted,
    sessionWork,
    isOwner: engine.isOwner,
    clients,
    opening: () => opening,
    log,
    onEnd: async () => {
      sessions.end();
      // Closing the socket waits until the answer to the stop request has been sent.
      try {
        await socket?.close();
      } finally {
        engine.close();
        await layouts.close();
      }
    },
  });
  const { isStopping, isClosing } = stopper;
  const beginning: BeginParts = {
    root,
    engine,
    hosted,
    trusts,
    environment,
    log,
    sessionsOpened: () => sessions.open().catch(() => undefined),
    isStopping,
    isClosing,
  };
  const sessions = createHostedSessions({ root, engine, beginning, stopper, notices });
  const layouts = openViewLayouts();
  const status = (): HostStatus => ({
    ...about,
    socket: place.socket,
    running: hosted.moving(),
    busy: sessionWork.sessions(),
    waiting: hosted.waiting(),
    due: hosted.due(),
    clients: clients(),
    stopping: isStopping(),
    memory: process.memoryUsage.rss(),
  });
  const own: Methods<'status' | 'host.stop'> = {
    status,
    'host.stop': (params) => stopper.stop(oneOf(paramsOf(params), 'mode', STOP_MODES)),
  };
  const runs = runMethods(beginning);
  const methods = hostMethods({ beginning, own, runs: runs.methods, events, sessions, offered, layouts, streams });
  socket = await listen({
    place,
    about,
    methods,
    log,
    onChange: look,
    accepts: engine.isOwner,
    ...(limits === undefined ? {} : { limits }),
  });
  // Queued sessions and timed runs of the previous host continue.
  opening = sessions
    .open()
    .then(sessions.refreshAll, (thrown: unknown) => log(messageOf(thrown)))
    .then(() => adoptTimed(runs.resume, { root, hosted, log, isStopping }));
  look();
  return { status, stop: stopper.stop, stopped: stopper.stopped };
}
