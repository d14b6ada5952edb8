import { applyRetention } from './cleaning-methods.ts';
import { rmSync } from 'node:fs';
import type { Executable } from '#engine/authoring.ts';
import { createNotifier, type Engine, type engineOwner, openEngine, storedSessions } from '#engine/index.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { type HelloResult, HOST_PROTOCOL, type HostStatus, STOP_MODES, type StopResult } from '#protocol/host.ts';
import type { HostClient } from '#protocol/host-client.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { SecureStorageService } from '#protocol/secure-storage.ts';
import type { ClientLimits } from './attend-client.ts';
import { createEventFeed, type EventFeed } from './feeds/event-feed.ts';
import { createHostLifetime } from './host-lifetime.ts';
import { hostMethods } from './host-methods.ts';
import { createHostedRuns, type HostedRuns } from './runs/hosted-runs.ts';
import { createHostedSessions, type HostedSessions } from './hosted-sessions.ts';
import { type HostPlace, newHostPlace, sweepPlaces } from '../wire/host-place.ts';
import { listen, type Listening, type ListenParts } from './listen.ts';
import { connectInProcess } from './local-client.ts';
import { offeredKeys } from './offered-keys.ts';
import { createOpenRequests } from './open-requests.ts';
import { createPromptFeed, type PromptFeed } from './prompt-methods.ts';
import { oneOf, paramsOf } from './methods/read-params.ts';
import { adoptTimed } from './adopt-timed.ts';
import type { BeginParts } from './begin-runs.ts';
import { runMethods } from './run-methods.ts';
import { waitingNotices } from './waiting-notices.ts';
import type { ActiveWork, StopMode } from './stop-host.ts';
import { taskMethods } from './task-methods.ts';
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
  readonly trusts: (list: readonly Executable[], directory: string) => Promise<boolean>;
  /**
   * How long the host lives: `idleMs` milliseconds without work, or as long as the work of a command in this process,
   * which ends it with `leave`. A command continues no timed run and no queued session of earlier processes.
   */
  readonly lives: { readonly idleMs: number } | 'command';
  readonly log: (message: string) => void;
  /** Reports a problem that stops no run to the user; by default to the log. */
  readonly warn?: (message: string) => void;
  readonly limits?: Partial<ClientLimits>;
  /** The file calls of the engine's state; for tests. */
  readonly calls?: FileCalls;
}

export interface Host {
  readonly status: () => HostStatus;
  /** Returns a client over memory, whose requests are handled like those of a socket. */
  connect(): HostClient;
  /**
   * Stops once nothing of any client is active; `onWait` is called if that takes more than a second. Returns whether work
   * is left that a host must continue: a run that waits for a time, or a queued session.
   */
  leave(onWait: (active: ActiveWork) => void): Promise<{ readonly isWorkLeft: boolean }>;
  /** Resolves when the host has stopped or has refused to stop. With `wait`, the host stops once nothing is active. */
  stop(mode: StopMode): Promise<StopResult>;
  /** Resolves when the host has stopped, for whatever reason. */
  readonly stopped: Promise<void>;
}

type ServeOutcome = { readonly ok: true; readonly host: Host } | { readonly ok: false; readonly owner: Owner };

/** Owns a project's engine and serves it to clients. */
export async function serveHost(parts: HostParts): Promise<ServeOutcome> {
  const { root, environment, keychain, log } = parts;
  const place = placeOf(parts);
  const keys = offeredKeys({ environment, keychain });
  const streams = createStreams((work) => void setTimeout(work, STREAM_MS).unref());
  const prompts = createPromptFeed();
  const opened = openEngine(root, {
    warn: parts.warn ?? log,
    socket: place?.socket ?? null,
    isCommand: parts.lives === 'command',
    keys: keys.places,
    onAnswer: streams.take,
    onPrompt: prompts.publish,
    ...(parts.calls === undefined ? {} : { calls: parts.calls }),
  });
  if (!opened.ok) return opened;
  const { engine } = opened;
  try {
    if (place !== null) quietly(() => sweepPlaces(root, place), log);
    return { ok: true, host: await serve(parts, place, engine, { offered: keys, streams, prompts }) };
  } catch (thrown) {
    if (place !== null) rmSync(place.token, { force: true });
    engine.close();
    throw thrown;
  }
}

/** Returns the address of the socket. A command that finds no safe place for a socket works without one. */
function placeOf({ root, environment, lives, log }: HostParts): HostPlace | null {
  try {
    return newHostPlace(root, environment);
  } catch (thrown) {
    if (lives !== 'command') throw thrown;
    log(messageOf(thrown));
    return null;
  }
}

/** Opens the socket. Rejects with the system's error; a command that can't open it works without one. */
async function listenAt(place: HostPlace | null, { lives, log }: HostParts, parts: Omit<ListenParts, 'place'>) {
  if (place === null) return null;
  try {
    return await listen({ ...parts, place });
  } catch (thrown) {
    if (lives !== 'command') throw thrown;
    log(messageOf(thrown));
    return null;
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
  { root, environment, lives, log }: HostParts,
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
    // The person who typed a command sees its output.
    notifier: lives === 'command' ? { notify: () => undefined } : createNotifier(environment, log),
    sessionOf,
    soon: (work) => void setTimeout(work, ANSWERED_AT_ONCE_MS).unref(),
    now: () => Date.now(),
  });
  return { hosted, events, notices };
}

/** What a host serves beside its engine. */
interface ServedParts {
  readonly offered: ReturnType<typeof offeredKeys>;
  readonly streams: Streams;
  readonly prompts: PromptFeed;
}

const aboutOf = ({ root, version, lives }: HostParts): HelloResult => ({
  protocol: HOST_PROTOCOL,
  version,
  pid: process.pid,
  root,
  since: Date.now(),
  ...(lives === 'command' ? { foreground: true } : {}),
});

const workOf = (hosted: HostedRuns, { sessionWork }: Engine) => ({
  running: hosted.moving(),
  busy: sessionWork.sessions(),
  waiting: hosted.waiting(),
  due: hosted.due(),
});

/** Collects work that must end before the process does. */
function createLastWork() {
  const works = new Set<Promise<unknown>>();
  return {
    add: (work: Promise<unknown>): void => {
      works.add(work);
      void work.finally(() => works.delete(work));
    },
    ended: () => Promise.allSettled([...works]),
  };
}

/** Continues the queued sessions and timed runs of the previous host. */
async function takeUp(
  { root, hosted, log, isStopping }: BeginParts,
  sessions: HostedSessions,
  resume: ReturnType<typeof runMethods>['resume'],
): Promise<void> {
  try {
    await sessions.open();
    sessions.refreshAll();
  } catch (thrown) {
    log(messageOf(thrown));
  }
  await adoptTimed(resume, { root, hosted, log, isStopping });
}

/** Returns whether this process leaves queued sessions. Sessions that can't be read must not keep the engine. */
function hasQueued({ root, log }: HostParts, sessions: HostedSessions): boolean {
  try {
    return sessions.isOpen() && storedSessions(root).some(({ state }) => state === 'queued');
  } catch (thrown) {
    log(messageOf(thrown));
    return false;
  }
}

async function serve(
  parts: HostParts,
  place: HostPlace | null,
  engine: Engine,
  { offered, streams, prompts }: ServedParts,
): Promise<Host> {
  const { root, environment, trusts, lives, log, limits } = parts;
  const about = aboutOf(parts);
  const requests = createOpenRequests();
  const lastWork = createLastWork();
  let opening: Promise<unknown> = Promise.resolve();
  let socket: Listening | null = null;
  const clients = (): number => socket?.clients() ?? 0;
  const { hosted, events, notices } = createObservedRuns(parts, engine.sessionOf, () => look());
  const { stopper, look } = createHostLifetime({
    idleMs: lives === 'command' ? Number.POSITIVE_INFINITY : lives.idleMs,
    hosted,
    sessionWork: engine.sessionWork,
    requests,
    withoutClients: async (timeoutMs) => socket?.withoutClients(timeoutMs),
    isOwner: engine.isOwner,
    clients,
    opening: () => opening,
    log,
    onEnd: async () => {
      sessions.end();
      // Closing the socket waits until the answer to the stop request has been sent.
      try {
        await lastWork.ended().then(async () => socket?.close());
        await applyRetention({ root, engine, now: () => Date.now() }, log);
      } finally {
        engine.close();
        await layouts.close();
      }
    },
  });
  const { isStopping, isClosing } = stopper;
  const tasks = taskMethods({ engine, isStopping });
  const beginning: BeginParts = {
    taskOf: tasks.taskOf,
    root,
    engine,
    hosted,
    trusts,
    environment,
    log,
    warn: parts.warn ?? log,
    lastWork: lastWork.add,
    sessionsOpened: () => sessions.open().catch(() => undefined),
    isStopping,
    isClosing,
  };
  const sessions = createHostedSessions({ root, engine, beginning, stopper, notices });
  const layouts = openViewLayouts();
  const status = (): HostStatus => ({
    ...about,
    ...workOf(hosted, engine),
    socket: place?.socket ?? '',
    clients: clients(),
    stopping: isStopping(),
    memory: process.memoryUsage.rss(),
  });
  const runs = runMethods(beginning);
  const all = hostMethods({
    beginning,
    own: { status, 'host.stop': (params) => stopper.stop(oneOf(paramsOf(params), 'mode', STOP_MODES)) },
    runs: runs.methods,
    events,
    sessions,
    offered,
    layouts,
    streams,
    prompts,
    tasks: tasks.methods,
  });
  const methods = requests.counted(all, isClosing);
  socket = await listenAt(place, parts, {
    about,
    methods,
    log,
    onChange: look,
    accepts: () => engine.isOwner() && !isClosing(),
    ...(limits === undefined ? {} : { limits }),
  });
  if (lives !== 'command') opening = takeUp(beginning, sessions, runs.resume);
  look();
  return {
    status,
    stop: stopper.stop,
    stopped: stopper.stopped,
    connect: () => connectInProcess({ about, methods, log, stopped: stopper.stopped }),
    leave: async (onWait) => {
      let isWorkLeft = false;
      await stopper.leave(onWait, () => {
        isWorkLeft = hosted.due() !== null || hasQueued(parts, sessions);
      });
      return { isWorkLeft };
    },
  };
}
