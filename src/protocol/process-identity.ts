/** The identity of a process, which stays valid when the system reuses its number. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * Boot, process table and start time as the system reports them, for comparison only; null where it reports none.
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

/** Returns whether the value is a process number; 0 and negative numbers mean groups. */
export const isPid = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31;

/** Reads a stored identity; null if the data holds none. */
export function readIdentity(kept: Readonly<Record<string, unknown>>): ProcessIdentity | null {
  const { pid, started, host } = kept;
  const isTold = typeof started === 'string' || started === null;
  return isPid(pid) && isTold && typeof host === 'string' ? { pid, started, host } : null;
}
