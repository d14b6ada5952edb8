export { lastSequence, removeUnnamedBlobs } from './blobs.ts';
export { createEventLog, type EventLog } from './event-log.ts';
export { type EventFilter, readEvents } from './read-events.ts';
export { readMoves } from './read-moves.ts';
