import path from 'node:path';
import { readMoves } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { SessionId } from '#protocol/id.ts';
import type { SessionMoved } from '#protocol/session-event.ts';

/** How a session came to stand where it does, the oldest first, as far back as the event log goes. Reads only, whoever owns the engine. */
export const sessionHistory = (root: string, session: SessionId): readonly SessionMoved[] =>
  readMoves(fileCalls, path.join(root, '.flow'), session);
