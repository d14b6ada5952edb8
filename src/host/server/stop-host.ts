import { setTimeout } from 'node:timers/promises';
import type { Engine } from '#engine/index.ts';
import type { STOP_MODES, StopResult } from '#protocol/host.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { HostedRuns } from './runs/hosted-runs.ts';
import type { OpenRequests } from './open-requests.ts';

export type StopMode = (typeof STOP_MODES)[number];

/**
 * The maximum duration of a stop in milliseconds: an interrupted worker has 5 s for its cleanup, and a merge may need
 * to finish.
 */
const STOPPING_MS = 8_000;

/** How long to wait in milliseconds for the requests of connected clients before a host leaves. */
const LAST_REQUEST_MS = 1_000;

interface StopperParts {
  readonly hosted: Pick<HostedRuns, 'moving' | 'find' | 'end'>;
  readonly sessionWork: Engine['sessionWork'];
  readonly requests: Pick<OpenRequests, 'isIdle' | 'idle'>;
  /** Resolves when no client holds the host, and no other client is connected or this time in milliseconds is over. */
  readonly withoutClients: (timeoutMs: number) => Promise<void>;
  /** Continues the work that the previous host left unfinished. */
  readonly opening: () => Promise<unknown>;
  readonly log: (message: string) => void;
}

/** What keeps a host from ending. */
export interface ActiveWork {
  readonly running: readonly RunId[];
  readonly busy: readonly SessionId[];
}

export interface Stopper {
  stop(mode: StopMode): Promise<StopResult>;
  /**
   * Stops once nothing is active and no client holds the host. Until then, new requests are accepted. `onWait` is called
   * if that takes more than a second, `onClose` right before the stop unless something else stops the host.
   */
  leave(onWait: (active: ActiveWork) => void, onClose: () => void): Promise<void>;
  /** True once no new run or session may start. */
  isStopping(): boolean;
  /** True once active runs and sessions may not start further work either. */
  isClosing(): boolean;
  readonly stopped: Promise<void>;
}

/**
 * Creates a function that ends a host once. `ended` is called when nothing is active any more, or the time limit is
 * reached.
 */
export function createStopper(
  { hosted, sessionWork, requests, withoutClients, opening, log }: StopperParts,
  ended: () => Promise<void>,
  timeoutMs = STOPPING_MS,
): Stopper {
  const over = Promise.withResolvers<undefined>();
  let stopping = false;
  let closing: Promise<StopResult> | null = null;

  const keeping = (): ActiveWork => ({ running: hosted.moving(), busy: sessionWork.sessions() });
  const isQuiet = (): boolean => hosted.moving().length === 0 && sessionWork.isIdle() && requests.isIdle();
  const untilQuiet = async (): Promise<void> => {
    while (!isQuiet()) {
      const moving = hosted.moving().flatMap((run) => hosted.find(run) ?? []);
      await Promise.allSettled([...moving.map((one) => one.settled()), sessionWork.idle(), requests.idle()]);
    }
  };

  const sessionsIdle = async (): Promise<void> => {
    const inTime = new AbortController();
    const limit = setTimeout(timeoutMs, undefined, { signal: inTime.signal }).catch(() => undefined);
    await Promise.race([sessionWork.idle(), limit]);
    inTime.abort();
  };
  const end = async (): Promise<void> => {
    try {
      await ended();
    } catch (thrown) {
      log(messageOf(thrown));
    }
    over.resolve(undefined);
  };
  const close = (): Promise<StopResult> =>
    (closing ??= (async () => {
      stopping = true;
      const [left] = await Promise.all([hosted.end(timeoutMs), sessionsIdle()]);
      for (const one of [...left, ...sessionWork.sessions()])
        log(`${one} ignored the stop request; it ends with this process`);
      setImmediate(() => void end());
      return { stopped: true, running: [], busy: [] };
    })());
  const wait = async (): Promise<StopResult> => {
    stopping = true;
    await untilQuiet();
    return close();
  };
  const whenIdle = async (): Promise<StopResult> => {
    await opening();
    return isQuiet() ? close() : { stopped: false, ...keeping() };
  };
  const stop = (mode: StopMode): Promise<StopResult> => {
    if (closing !== null) return closing;
    if (mode === 'force') return close();
    return mode === 'wait' ? wait() : whenIdle();
  };
  const untilUnused = async (): Promise<void> => {
    do {
      await untilQuiet();
      // A client that has connected is about to send its request.
      await withoutClients(LAST_REQUEST_MS);
    } while (!isQuiet());
  };
  const leave: Stopper['leave'] = async (onWait, onClose) => {
    const inTime = new AbortController();
    void setTimeout(LAST_REQUEST_MS, undefined, { signal: inTime.signal }).then(
      () => onWait(keeping()),
      () => undefined,
    );
    await Promise.race([untilUnused(), over.promise]);
    inTime.abort();
    if (closing === null) onClose();
    await close();
    await over.promise;
  };
  return { stop, leave, isStopping: () => stopping, isClosing: () => closing !== null, stopped: over.promise };
}
