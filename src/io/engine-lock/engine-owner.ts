import path from 'node:path';
import { wallClock } from '../clock/clock.ts';
import { newId } from '../clock/identity.ts';
import { fileCalls } from '../files/file-calls.ts';
import { liveness } from '../process/process-identity.ts';
import type { LockOwner } from './claim.ts';
import { findOwner } from './find-owner.ts';

/** Returns the process that owns the engine of the project at `root`, or null if no process does. */
export function engineOwner(root: string): LockOwner | null {
  const parts = { calls: fileCalls, newId: () => newId(6), now: () => wallClock.now() };
  return findOwner(parts, path.join(root, '.flow'), liveness);
}
