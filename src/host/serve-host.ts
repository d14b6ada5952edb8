import { rmSync } from 'node:fs';
import { type Engine, type engineOwner, openEngine, type Sessions } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { type HelloResult, HOST_PROTOCOL, type HostStatus, STOP_MODES, type StopResult } from '#protocol/host.ts';
import type { SessionState } from '#protocol/session.ts';
import type { SecureStorageService } from '#protocol/secure-storage.ts';
import type { ClientLimits } from './attend-client.ts';
import { createEventFeed } from './event-feed.ts';
import { eventMethods } from './event-methods.ts';
import { createHostedRuns, type HostedRuns } from './hosted-runs.ts';
import { type HostPlace, newHostPlace, sweepPlaces } from './host-place.ts';
import { idleWatch } from './idle.ts';
import { listen, type Listening } from './listen.ts';
import { methodTable, type Methods } from './methods.ts';
import { keyMethods, offeredKeys } from './offered-keys.ts';
import { oneOf, paramsOf } from './read-params.ts';
import { adopt, type BeginParts } from './begin-runs.ts';
import { runMethods } from './run-methods.ts';
import { sessionMethods } from './session-methods.ts';
import { messageOf } from '#protocol/message-of.ts';

type Owner = NonNullable<ReturnType<typeof engineOwner>>;

export interface HostParts {
  /** Of the project, absolute, without links. */
  readonly root: string;
  /** Of the program. */
  readonly version: string;
  readonly environment: Record<string, string | undefined>;
  readonly keychain?: SecureStorageService | undefined;
  /** Has the user said that this may run here? */
  readonly trusts: (graph: Graph, directory: string) => Promise<boolean>;
  /** Without anything to do, it ends after so long. */
  readonly idleMs: number;
  readonly log: (message: string) => void;
  readonly limits?: Partial<ClientLimits>;
}

export type StopMode = (typeof STOP_MODES)[number];

export interface Host {
  readonly status: () => HostStatus;
  /** Resolves when it has stopped, or when it won't; `wait`: when nothing is under way any more. */
  stop(mode: StopMode): Promise<StopResult>;
  /** Whoever stopped it. */
  readonly stopped: Promise<void>;
}

export type Served = { readonly ok: true; readonly host: Host } | { readonly ok: false; readonly owner: Owner };

/** A worker that is interrupted may clean up for 5 s. */
const STOPPING_MS = 8_000;

/** Owns a project's engine and serves it to clients (spec/engine.md "Where the engine runs"). */
export async function serveHost(parts: HostParts): Promise<Served> {
  const { root, environment, keychain, log } = parts;
  const place = newHostPlace(root, environment);
  const keys = offeredKeys({ environment, keychain });
  const opened = openEngine(root, { warn: log, socket: place.socket, keys: keys.places });
  if (!opened.ok) return opened;
  const { engine } = opened;
  try {
    quietly(() => sweepPlaces(root, place), log);
    return { ok: true, host: await serve(parts, place, engine, keys.take) };
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

async function serve(
  { root, version, environment, trusts, idleMs, log, limits }: HostParts,
  place: HostPlace,
  engine: Engine,
  takeKeys: ReturnType<typeof offeredKeys>['take'],
): Promise<Host> {
  const about: HelloResult = { protocol: HOST_PROTOCOL, version, pid: process.pid, root, since: Date.now() };
  const feed = createEventFeed();
  const over = Promise.withResolvers<undefined>();
  const hosted = createHostedRuns({ publish: feed.publish, onChange: () => idle.look() });
  let socket: Listening | null = null;
  let opened: Sessions | null = null;
  const stopper = createStopper(hosted, async () => {
    idle.stop();
    // The answer to whoever asked is on its way.
    await socket?.close();
    engine.close();
    over.resolve(undefined);
  });
  const status = (): HostStatus => ({
    ...about,
    socket: place.socket,
    ...{ running: hosted.moving(), waiting: hosted.waiting(), due: hosted.due() },
    ...{ clients: socket?.clients() ?? 0, stopping: stopper.isStopping(), memory: process.memoryUsage.rss() },
  });
  const idle = idleWatch({
    isIdle: () =>
      hosted.moving().length === 0 && !isBusy(opened) && (socket?.clients() ?? 0) === 0 && hosted.due() === null,
    afterMs: idleMs,
    onIdle: () => void stopper.stop('idle'),
    due: hosted.due,
    onDue: hosted.goOn,
    now: () => Date.now(),
  });
  const own: Methods<'status' | 'host.stop'> = {
    status,
    'host.stop': (params) => stopper.stop(oneOf(paramsOf(params), 'mode', STOP_MODES)),
  };
  const beginning: BeginParts = {
    ...{ root, engine, hosted, trusts, environment, log },
    isStopping: stopper.isStopping,
  };

  const sessions = async (): Promise<Sessions> => {
    opened = await engine.sessions({
      hands: { adopt: (begin) => adopt(beginning, 0, begin), letGo: hosted.letGo },
      mayStart: () => !stopper.isStopping(),
    });
    return opened;
  };
  const methods = methodTable(
    own,
    runMethods(beginning),
    sessionMethods(sessions),
    eventMethods({ root, hosted, feed }),
    keyMethods(takeKeys, () => engine.keysChanged()),
  );
  socket = await listen({
    ...{ place, about, methods, log, onChange: () => idle.look() },
    ...(limits === undefined ? {} : { limits }),
  });
  // What was queued when the host before ended goes on.
  sessions().catch((thrown: unknown) => log(messageOf(thrown)));
  idle.look();
  return { status, stop: stopper.stop, stopped: over.promise };
}

const BUSY: ReadonlySet<SessionState> = new Set([
  ...(['creating', 'merging', 'updating', 'holding', 'discarding'] as const),
]);

/** Something is done to a session that is no run. */
const isBusy = (sessions: Sessions | null): boolean =>
  sessions?.manager.list().some(({ state }) => BUSY.has(state)) === true;

/** Ends a host once: `ended` is called when nothing moves any more. */
function createStopper(hosted: HostedRuns, ended: () => Promise<void>) {
  let stopping = false;
  let closing: Promise<StopResult> | null = null;

  const close = (): Promise<StopResult> =>
    (closing ??= (async () => {
      stopping = true;
      await hosted.end(STOPPING_MS);
      setImmediate(() => void ended());
      return { stopped: true, running: [] };
    })());
  const wait = async (): Promise<StopResult> => {
    stopping = true;
    for (;;) {
      const moving = hosted.moving().flatMap((run) => hosted.find(run) ?? []);
      if (moving.length === 0) return close();
      await Promise.all(moving.map((one) => one.settled()));
    }
  };
  const stop = (mode: StopMode): Promise<StopResult> => {
    const running = hosted.moving();
    if (closing !== null) return closing;
    if (mode === 'force' || running.length === 0) return close();
    return mode === 'wait' ? wait() : Promise.resolve({ stopped: false, running });
  };
  return { stop, isStopping: () => stopping };
}
