import type { Engine } from '#engine/index.ts';
import type { HostedRuns } from './runs/hosted-runs.ts';
import { idleWatch } from './idle.ts';
import type { OpenRequests } from './open-requests.ts';
import { createStopper, type Stopper } from './stop-host.ts';

interface HostLifetimeParts {
  /** Idle time in milliseconds after which the host ends. */
  readonly idleMs: number;
  readonly hosted: HostedRuns;
  readonly sessionWork: Engine['sessionWork'];
  readonly requests: Pick<OpenRequests, 'isIdle' | 'idle'>;
  readonly isOwner: Engine['isOwner'];
  /** Returns the number of connected clients. */
  readonly clients: () => number;
  readonly withoutClients: (timeoutMs: number) => Promise<void>;
  /** Continues the work that the previous host left unfinished. */
  readonly opening: () => Promise<unknown>;
  readonly log: (message: string) => void;
  /** Called when the host ends: nothing is active any more, or the time limit is reached. */
  readonly onEnd: () => Promise<void>;
}

interface HostLifetime {
  readonly stopper: Stopper;
  /**
   * Checks whether the host must end. Must be called whenever a client, a run or a session operation begins or ends.
   */
  readonly look: () => void;
}

/**
 * Decides how long a host lives: until it is stopped, has nothing to do, or no longer owns the engine, because the
 * project was moved or removed.
 */
export function createHostLifetime(parts: HostLifetimeParts): HostLifetime {
  const { idleMs, hosted, sessionWork, requests, isOwner, clients, log, onEnd } = parts;
  const stopper = createStopper(parts, async () => {
    idle.stop();
    await onEnd();
  });
  const idle = idleWatch({
    isIdle: () =>
      hosted.moving().length === 0 &&
      hosted.waiting().length === 0 &&
      sessionWork.isIdle() &&
      requests.isIdle() &&
      clients() === 0,
    afterMs: idleMs,
    onIdle: () => void stopper.stop('idle'),
    isLost: () => !isOwner(),
    onLost: () => {
      if (!stopper.isClosing()) log('the project was moved or removed, or another process owns its engine');
      void stopper.stop('force');
    },
    due: hosted.due,
    onDue: hosted.goOn,
    now: () => Date.now(),
  });
  sessionWork.onEnd(() => idle.look());
  return { stopper, look: idle.look };
}
