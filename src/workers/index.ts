export { BUILT_IN_WORKERS } from './built-in.ts';
export { commandWorker } from './command.ts';
export { type AppliedFile, applyOperations, type Application } from './loom/apply-operations.ts';
export { describeProblem, type LoomProblem } from './loom/problem.ts';
export { readOperations } from './loom/read-operations.ts';
export { countScripted, isScripted, type ScriptCounts, scriptedWorker } from './scripted.ts';
