import type { DiskProcess, SimulatedDisk } from '../../support/simulated-disk.ts';
import type { CountedTurns } from '../../support/counted-turns.ts';
import type { SessionClock } from './session-clock.ts';

/** All that one session of the engine has to do with. */
export interface SessionParts {
  readonly disk: SimulatedDisk;
  readonly process: DiskProcess;
  readonly clock: SessionClock;
  readonly turns: CountedTurns;
  readonly newId: (bytes: number) => string;
  /** Syncs take long, and are made off the thread. */
  readonly slow: boolean;
  readonly warn: (message: string) => void;
  /** The engine could not be opened, or a run not be begun. */
  readonly onRefused: (thrown: unknown) => void;
}
