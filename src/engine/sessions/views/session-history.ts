import path from 'node:path';
import { readMoves } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { SessionId } from '#protocol/id.ts';
import type { SessionMoved } from '#protocol/session-event.ts';

/**
 * Returns the state changes of a session, oldest first, as far as the event log goes back. Only reads, so it works
 * while another process owns the engine.
 */
export const sessionHistory = (root: string, session: SessionId): readonly SessionMoved[] =>
  readMoves(fileCalls, path.join(root, '.flow'), session);
