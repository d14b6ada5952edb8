import path from 'node:path';
import type { Liveness } from '#protocol/process-identity.ts';
import { wallClock } from '../clock/clock.ts';
import { newId } from '../clock/identity.ts';
import { fileCalls } from '../files/file-calls.ts';
import { liveness } from '../process/process-identity.ts';
import { type LockParts, openClaims } from './claim-folder.ts';
import type { LockOwner } from './claim.ts';
import { judge } from './judge.ts';

/** Returns the live owner of the engine without taking the lock, or null if there is none. */
function findOwner(parts: LockParts, folder: string, liveness: Liveness): LockOwner | null {
  const claims = openClaims(parts, path.join(folder, 'engine.lock'));
  const top = claims.numbers().at(-1);
  if (top === undefined) return null;
  const verdict = judge(claims.read(top), liveness);
  if (verdict.free) return null;
  // The socket of another machine leads nowhere here.
  return verdict.why === 'alive' ? verdict.owner : { ...verdict.owner, socket: null };
}

/** Returns the process that owns the engine of the project at `root`, or null if no process does. */
export function engineOwner(root: string): LockOwner | null {
  const parts = { calls: fileCalls, newId: () => newId(6), now: () => wallClock.now() };
  return findOwner(parts, path.join(root, '.flow'), liveness);
}

/** Returns whether the owner runs on another machine, or in another container, so that it may be dead unnoticed. */
export const isElsewhere = (owner: LockOwner): boolean => liveness.isAlive(owner) === 'unknown';
