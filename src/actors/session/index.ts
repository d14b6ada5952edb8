export { readSessions, type SessionPlace } from './session-store.ts';
export { openSessionList, type SessionPatch } from './session-list.ts';
export { createSessionManager, type Disposed, type SessionManager } from './session-manager.ts';
export type { Created, DiscardChoices, MergeChoices, Refused, SessionEffects } from './session-effects.ts';
