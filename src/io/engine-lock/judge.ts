import { RoboSmithError } from '#protocol/error.ts';
import type { Liveness, ProcessIdentity } from '#protocol/process-identity.ts';
import type { FoundClaim } from './claim-folder.ts';
import type { LockOwner } from './claim.ts';

/** Says whether the engine may be claimed, or which process owns it. */
export type LockVerdict =
  | { readonly free: true; readonly tookOver: ProcessIdentity | null }
  | { readonly free: false; readonly owner: LockOwner; readonly why: 'alive' | 'other_host' };

/**
 * The time in milliseconds during which a new claim may be unreadable because a network disk shows its content late. An
 * older unreadable claim is damaged.
 */
const FRESH_MS = 60_000;

export function judge(found: FoundClaim, { isAlive }: Liveness): LockVerdict {
  if (found.kind === 'none') return { free: true, tookOver: null };
  if (found.kind === 'damaged') {
    if (found.age > FRESH_MS) return { free: true, tookOver: null };
    throw new RoboSmithError(
      'io',
      `${found.file} can't be read. Try again one minute after its last change: the lock is then treated as damaged`,
      {
        path: found.file,
      },
    );
  }
  const { released, ...owner } = found.claim;
  const { pid, started, host } = owner;
  const who = { pid, started, host };
  if (released) return { free: true, tookOver: null };
  const life = isAlive(who);
  if (life === 'dead') return { free: true, tookOver: who };
  return { free: false, owner, why: life === 'alive' ? 'alive' : 'other_host' };
}
