export { type CarriedRun, packRun, unpackRun } from './export-run.ts';
export { inlineOrBlob, isBlobRef, isSurelySmall, keepBlob, readBlob } from './blobs.ts';
export { createCommitter } from './committer.ts';
export { createCompletions } from './completions.ts';
export { compactRun } from './compact.ts';
export { createFork, entriesBefore, filesBefore } from './fork-journal.ts';
export { createJournal, type Journal, openJournal } from './journal.ts';
export { executionId, frameOf, keyOf, localKey, roleOf, visitOf } from './local-key.ts';
export { answerId, recoverState, type RecoveredState, type UnfinishedExecution } from './recover-state.ts';
export { createLogs } from './store-log.ts';
export { createReplay, type Replay } from './replay.ts';
export { type Difference, partedFrom } from './replay-end.ts';
export { createSharedLog, type SharedLines } from './shared-log.ts';
export {
  damaged,
  journalFile,
  listRunIds,
  makeFolders,
  type Place,
  readRun,
  readShared,
  recoverSharedLog,
  runFolder,
  takeOverRun,
} from './stored-run.ts';
export { endOf, failedExecution, entriesInForce, hasOutcome, inForceNow } from './entries-in-force.ts';
export { createStateFiles, readState } from './state-files.ts';
export { createSummary, summarise } from './summarise.ts';
export { createTurns } from './turns.ts';
