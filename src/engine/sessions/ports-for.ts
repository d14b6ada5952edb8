import { findFreePorts } from '#io/worktrees/find-free-ports.ts';
import type { Refused } from '#actors/session/index.ts';
import type { Session } from '#protocol/session.ts';

/** A block of ports that no other session has; null where none is asked for. */
export async function portsFor(
  count: number,
  others: readonly Session[],
): Promise<{ readonly ok: true; readonly ports: Session['ports'] } | Refused> {
  if (count === 0) return { ok: true, ports: null };
  const taken = others.flatMap(({ ports, state }) =>
    ports === null || state === 'merged' || state === 'discarded' ? [] : [ports],
  );
  const found = await findFreePorts(count, taken);
  if (found.kind === 'refused') return { ok: false, why: found.message };
  return { ok: true, ports: { first: found.first, count } };
}
