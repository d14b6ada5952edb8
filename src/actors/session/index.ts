export { isSession } from './decode-sessions.ts';
export { readSessions, sessionsFile } from './session-store.ts';
export { openSessionList, type SessionList, type SessionMove } from './session-list.ts';
export { afterUpdate } from './end-sessions.ts';
export { createSessionManager, type SessionManager } from './session-manager.ts';
export type { CreatedWorktree, OperationDone, SessionRefusal, SessionEffects } from './session-effects.ts';
