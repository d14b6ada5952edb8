export { BUILT_IN_WORKERS } from './built-in.ts';
export { commandWorker } from './command.ts';
export { evidenceWorker } from './evidence.ts';
export { countScripted, isScripted, type ScriptCounts, scriptedEvidence, scriptedWorker } from './scripted.ts';
