/** The engine's second door: what reads and checks manifests and starts nothing; it loads no machine and no process library. */
export { compareGraphs, compile, exportWorkflow, parseScript } from '#compiler/index.ts';
export { findRoot } from '#io/find-root.ts';
export { findManifest } from '#io/project.ts';
export { detectCommands } from '#io/project-commands.ts';
export { type LoadedManifest, loadManifest } from './load-manifest.ts';
export { refuse } from './refuse.ts';
export { builtInNames } from './registry/built-in-names.ts';
export { readRegistry, type RegistryLine } from './registry/read-registry.ts';
export { usedWorkers } from './registry/used-workers.ts';
export { type AppliedFile, applyEdits, describeProblem, type LoomProblem } from './apply-edits.ts';
export { type CallListing } from '#actors/call-log/index.ts';
export { type CallComparison, type Verdict } from '#machines/calls/compare-calls.ts';
export { compareWords, type SideBySide } from '#machines/calls/compare-texts.ts';
export { repeatCall, type RequestChanges } from '#machines/calls/repeat-call.ts';
export { readRequestText, requestText } from '#machines/calls/request-text.ts';
export { compareLogged, verdictOf } from './compare-logged.ts';
export { type CallSum, type Grouping, GROUPINGS, sumCalls } from '#machines/calls/sum-calls.ts';
export { projectCall, projectCalls } from './project-calls.ts';
