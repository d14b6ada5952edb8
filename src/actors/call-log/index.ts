export { type LogPlace } from './call-files.ts';
export { indexWriter } from './call-index.ts';
export { findAnswer, findSpent } from './find-answer.ts';
export { type CallListing, listCalls } from './list-calls.ts';
export { createOpenCalls } from './open-calls.ts';
export { planPruneCalls, type PrunedCalls, pruneCalls } from './prune-calls.ts';
export { type CallReading, readCall } from './read-call.ts';
export { takeOverOpenCalls } from './adopt-calls.ts';
export { writeCall } from './write-call.ts';
