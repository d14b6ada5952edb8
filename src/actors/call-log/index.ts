export { type LogPlace } from './call-files.ts';
export { findAnswer } from './find-answer.ts';
export { type CallListing, listCalls } from './list-calls.ts';
export { type OpenCall, openCall, takeOverOpenCalls } from './open-call.ts';
export { planPruneCalls, type PrunedCalls, pruneCalls } from './prune-calls.ts';
export { type CallReading, readCall } from './read-call.ts';
export { writeCall } from './write-call.ts';
