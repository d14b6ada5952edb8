import type { SessionApi } from '#protocol/session-api.ts';
import { heldBranches, sessionOutcomes, type SessionOutcomesParts } from './session-outcomes.ts';
import { sessionOrders, sessionQueue, type SessionQueueParts } from './session-queue.ts';

interface SessionApiParts extends SessionQueueParts, SessionOutcomesParts {}

/** Creates the operations on sessions for people, commands and hosts. */
export const sessionApi = (parts: SessionApiParts): Omit<SessionApi, 'fork'> => ({
  ...sessionOrders(parts),
  ...sessionQueue(parts),
  ...sessionOutcomes(parts),
  ...heldBranches(parts),
});
