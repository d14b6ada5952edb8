/** Which process it is, also when the system has given its number to another one since. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Boot, table of processes and start, as the system tells them; null where it tells none. Only to be compared. */
  readonly started: string | null;
  readonly host: string;
}

/** Processes as a port. */
export interface Liveness {
  readonly self: ProcessIdentity;
  /** `unknown`: from here it can't be seen (another machine, another container). */
  isAlive(who: ProcessIdentity): 'alive' | 'dead' | 'unknown';
}

/** The system's numbers; 0 and negative ones mean groups. */
export const isPid = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31;

/** What was kept of an identity, with whatever else; null when it is none. */
export function readIdentity(kept: Readonly<Record<string, unknown>>): ProcessIdentity | null {
  const { pid, started, host } = kept;
  const isTold = typeof started === 'string' || started === null;
  return isPid(pid) && isTold && typeof host === 'string' ? { pid, started, host } : null;
}
