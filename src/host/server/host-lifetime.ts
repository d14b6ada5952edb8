import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from '#engine/index.ts';
import type { HostedRuns } from './hosted-runs.ts';
import { idleWatch } from './idle.ts';
import { createStopper, type Stopper } from './stop-host.ts';

interface HostLifetimeParts {
  /** The absolute real path of the project. */
  readonly root: string;
  /** Idle time in milliseconds after which the host ends. */
  readonly idleMs: number;
  readonly hosted: HostedRuns;
  readonly sessionWork: Engine['sessionWork'];
  /** Returns the number of connected clients. */
  readonly clients: () => number;
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

/** Decides how long a host lives: until it is stopped, has nothing to do, or its project no longer exists. */
export function createHostLifetime(parts: HostLifetimeParts): HostLifetime {
  const { root, idleMs, hosted, sessionWork, clients, opening, log, onEnd } = parts;
  const stopper = createStopper({ hosted, sessionWork, opening, log }, async () => {
    idle.stop();
    await onEnd();
  });
  const idle = idleWatch({
    isIdle: () =>
      hosted.moving().length === 0 && hosted.waiting().length === 0 && sessionWork.isIdle() && clients() === 0,
    afterMs: idleMs,
    isGone: () => !existsSync(path.join(root, '.flow')),
    onIdle: () => void stopper.stop('idle'),
    due: hosted.due,
    onDue: hosted.goOn,
    now: () => Date.now(),
  });
  sessionWork.onEnd(() => idle.look());
  return { stopper, look: idle.look };
}
