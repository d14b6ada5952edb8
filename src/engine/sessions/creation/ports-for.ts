import { createSerialiser } from '#io/files/serialise.ts';
import { findFreePorts, type PortBlock, startOf } from '#io/git/worktrees/find-free-ports.ts';
import type { SessionRefusal } from '#actors/session/index.ts';
import type { SessionId } from '#protocol/id.ts';
import { hasEnded, type Session } from '#protocol/session.ts';

/** Returns a block of ports that no other session has; null if none is requested. A session keeps its block. */
export type PortsFor = (
  session: Session,
  count: number,
) => Promise<{ readonly ok: true; readonly ports: Session['ports'] } | SessionRefusal>;

/**
 * Creates the allocator. Sessions that are created at the same time get different blocks, although none is stored yet.
 * `root`: the absolute path of the project.
 */
export function createPortsFor(root: string, all: () => readonly Session[]): PortsFor {
  const serialise = createSerialiser();
  const given = new Map<SessionId, PortBlock>();
  const blockOf = ({ id, ports, state }: Session): readonly PortBlock[] => {
    if (hasEnded({ state })) return [];
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
