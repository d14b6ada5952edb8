export { type LogPlace } from './call-files.ts';
export { findCall } from './find-call.ts';
export { type CallListing, listCalls } from './list-calls.ts';
export { pruneCalls } from './prune-calls.ts';
export { type CallReading, readCall } from './read-call.ts';
export { writeCall } from './write-call.ts';
