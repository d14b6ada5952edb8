export { acquireEngineLock } from './acquire-engine-lock.ts';
export type { EngineLock, EngineLockParts } from './acquire-engine-lock.ts';
export type { LockOwner } from '#io/engine-lock/claim.ts';
export { createIntentLock } from './intent-lock.ts';
export type { Dispatch, IntentLock, IntentLockParts } from './intent-lock.ts';
