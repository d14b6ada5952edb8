export { aiWorker, prepareOrder } from './ai/ai-worker.ts';
export { BUILT_IN_WORKERS } from './built-in.ts';
export { commandWorker } from './command.ts';
export { evidenceWorker } from './evidence.ts';
export { type AppliedFile, applyOperations, type Application } from './loom/apply-operations.ts';
export { describeProblem, type LoomProblem } from './loom/problem.ts';
export { readOperations } from './loom/read-operations.ts';
export { countScripted, isScripted, type ScriptCounts, scriptedEvidence, scriptedWorker } from './scripted.ts';
