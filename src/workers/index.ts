export { BUILT_IN_WORKERS } from './built-in.ts';
export { commandWorker } from './command.ts';
export { countScripted, isScripted, type ScriptCounts, scriptedWorker } from './scripted.ts';
