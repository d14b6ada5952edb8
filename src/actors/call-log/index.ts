export { type LogPlace } from './call-files.ts';
export { indexWriter } from './call-index.ts';
export { countBilled, findAnswer, findSpent, mayContinue } from './find-answer.ts';
export { type CallListing, listCalls } from './list-calls.ts';
export { createOpenCalls } from './open-calls.ts';
export { planPruneCalls, type PrunedCalls, pruneCalls } from './prune-calls.ts';
export { type CallReading, readCall, searchCalls } from './read-call.ts';
export { openRecords, takeOverOpenCalls } from './adopt-calls.ts';
export { writeCall } from './write-call.ts';
