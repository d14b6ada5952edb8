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
