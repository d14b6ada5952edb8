/** The engine's second door: what reads and checks manifests and starts nothing; it loads no machine and no process library. */
export { compareGraphs, compile, exportWorkflow, parseScript } from '#compiler/index.ts';
export { detectCommands, findManifest, findRoot } from '#io/project.ts';
export { type LoadedManifest, loadManifest } from './load-manifest.ts';
export { refuse } from './refuse.ts';
