import { createSerialiser } from '#io/git/plumbing/serialise.ts';
import { findFreePorts, type PortBlock, startOf } from '#io/git/worktrees/find-free-ports.ts';
import type { Refused } from '#actors/session/index.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';

/** A block of ports that no other session has; null where none is asked for. One that has a block keeps it. */
export type PortsFor = (
  session: Session,
  count: number,
) => Promise<{ readonly ok: true; readonly ports: Session['ports'] } | Refused>;

/** Sessions whose worktrees are made at the same time get blocks of their own, though none is stored yet. `root`: of the project, absolute. */
export function createPortsFor(root: string, all: () => readonly Session[]): PortsFor {
  const serialise = createSerialiser();
  const given = new Map<SessionId, PortBlock>();
  const blockOf = ({ id, ports, state }: Session): readonly PortBlock[] => {
    if (state === 'merged' || state === 'discarded') return [];
    const block = ports ?? (state === 'creating' ? given.get(id) : undefined);
    return block === undefined ? [] : [block];
  };
  return async (session, count) => {
    if (session.ports !== null || count === 0) return { ok: true, ports: session.ports };
    return serialise(async () => {
      const others = all().filter(({ id }) => id !== session.id);
      const found = await findFreePorts(count, others.flatMap(blockOf), undefined, startOf(root));
      if (found.kind === 'refused') return { ok: false, why: found.message };
      const ports = { first: found.first, count };
      given.set(session.id, ports);
      return { ok: true, ports };
    });
  };
}
