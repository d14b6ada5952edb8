import type { DiskProcess, SimulatedDisk } from '../../support/simulated-disk.ts';
import type { CountedTurns } from '../../support/counted-turns.ts';
import type { SessionClock } from './session-clock.ts';

/** The parts that one session of the engine uses. */
export interface SessionParts {
  readonly disk: SimulatedDisk;
  readonly process: DiskProcess;
  readonly clock: SessionClock;
  readonly turns: CountedTurns;
  readonly newId: (bytes: number) => string;
  /** True if syncs are slow and therefore run on another thread. */
  readonly slow: boolean;
  readonly warn: (message: string) => void;
  /** Called if the engine can't be opened or a run can't be started. */
  readonly onRefused: (thrown: unknown) => void;
}
