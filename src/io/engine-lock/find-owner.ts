import path from 'node:path';
import type { Liveness } from '#protocol/process-identity.ts';
import { type LockParts, openClaims } from './claim-folder.ts';
import type { LockOwner } from './claim.ts';
import { judge } from './judge.ts';

/** Returns the live owner of the engine without taking the lock, or null if there is none. */
export function findOwner(parts: LockParts, folder: string, liveness: Liveness): LockOwner | null {
  const claims = openClaims(parts, path.join(folder, 'engine.lock'));
  const top = claims.numbers().at(-1);
  if (top === undefined) return null;
  const verdict = judge(claims.read(top), liveness);
  return verdict.free ? null : verdict.owner;
}
