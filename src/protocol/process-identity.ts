/** The identity of a process. It stays unambiguous when the system reuses the process id. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * The boot, the process table and the start time as the system reports them. Only compared, never parsed; null where
   * the system reports none.
   */
  readonly started: string | null;
  readonly host: string;
}

/** Processes as a port. */
export interface Liveness {
  readonly self: ProcessIdentity;
  /** `unknown`: the process can't be seen from here (another machine or container). */
  isAlive(who: ProcessIdentity): 'alive' | 'dead' | 'unknown';
}

/**
 * Returns whether the value is a valid process id. 0 and negative numbers are rejected because they address process
 * groups.
 */
export const isPid = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31;

/** Reads a stored identity; null if the data holds none. */
export function readIdentity(kept: Readonly<Record<string, unknown>>): ProcessIdentity | null {
  const { pid, started, host } = kept;
  const isStartValid = typeof started === 'string' || started === null;
  return isPid(pid) && isStartValid && typeof host === 'string' ? { pid, started, host } : null;
}

/** A register of running process trees. Recovery reads it after a crash. Its methods never throw. */
export interface ProcessRegister {
  /** Registers a process tree right before it is started. All of its processes carry `mark`. */
  begin(mark: string): RegisteredProcess;
}

export interface RegisteredProcess {
  readonly started: (pid: number) => void;
  /** Removes the entry. Called when the whole tree has ended. */
  readonly ended: () => void;
}
