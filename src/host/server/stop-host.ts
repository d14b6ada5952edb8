import { setTimeout } from 'node:timers/promises';
import type { Engine } from '#engine/index.ts';
import type { STOP_MODES, StopResult } from '#protocol/host.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { HostedRuns } from './hosted-runs.ts';

export type StopMode = (typeof STOP_MODES)[number];

/**
 * The maximum duration of a stop in milliseconds: an interrupted worker has 5 s for its cleanup, and a merge may need
 * to finish.
 */
const STOPPING_MS = 8_000;

interface StopperParts {
  readonly hosted: Pick<HostedRuns, 'moving' | 'find' | 'end'>;
  readonly sessionWork: Engine['sessionWork'];
  /** Continues the work that the previous host left unfinished. */
  readonly opening: () => Promise<unknown>;
  readonly log: (message: string) => void;
}

export interface Stopper {
  stop(mode: StopMode): Promise<StopResult>;
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
  { hosted, sessionWork, opening, log }: StopperParts,
  ended: () => Promise<void>,
  timeoutMs = STOPPING_MS,
): Stopper {
  const over = Promise.withResolvers<undefined>();
  let stopping = false;
  let closing: Promise<StopResult> | null = null;

  const keeping = () => ({ running: hosted.moving(), busy: sessionWork.sessions() });
  const isQuiet = (): boolean => hosted.moving().length === 0 && sessionWork.isIdle();

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
    while (!isQuiet()) {
      const moving = hosted.moving().flatMap((run) => hosted.find(run) ?? []);
      await Promise.allSettled([...moving.map((one) => one.settled()), sessionWork.idle()]);
    }
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
  return { stop, isStopping: () => stopping, isClosing: () => closing !== null, stopped: over.promise };
}
