import { findFreePorts } from '#io/worktrees/find-free-ports.ts';
import type { Session } from '#protocol/session.ts';

/** A block of ports that no other session has; null where none is asked for, or none is free. */
export async function portsFor(count: number, others: readonly Session[]): Promise<Session['ports']> {
  if (count === 0) return null;
  const taken = others.flatMap(({ ports, state }) =>
    ports === null || state === 'merged' || state === 'discarded' ? [] : [ports],
  );
  return findFreePorts(count, taken);
}
