import { compile, type CompileOptions, importsOf, parseScript } from '#compiler/index.ts';
import { findRoot } from '#io/project/find-root.ts';
import { manifestFiles } from '#io/project/manifest-files.ts';
import { detectCommands } from '#io/project/project-commands.ts';
import type { Compilation, ManifestSource } from '#protocol/compiled.ts';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Script } from '#protocol/script.ts';
import { loadSchemas } from './load-schemas.ts';
import { NOT_IN_FORCE } from './unused-settings.ts';
import { readRegistry } from '../registry/read-registry.ts';

export interface LoadedManifest {
  /** The entry first, then its imports. */
  readonly sources: readonly ManifestSource[];
  /** Its graph's commands are the detected ones, overlaid by the manifest's. */
  readonly compilation: Compilation;
  /** What the project's own files say (spec/manifest.md: `commands`), also when the manifest has errors. */
  readonly detectedCommands: Graph['commands'];
  /** Answers of workers with `kind: "scripted"`, by worker. */
  readonly scripts: ReadonlyMap<string, Script>;
  readonly scriptDiagnostics: readonly Diagnostic[];
}

/** Files that a manifest may bring in at most. */
const MAX_IMPORTS = 1_000;

type Files = ReturnType<typeof manifestFiles>;

export interface LoadOptions {
  /** The folder whose own files tell the commands, and whose registry lists the workers; the manifest's project when it is not given. */
  readonly root?: string;
}

/** Reads a manifest and all that it imports, and compiles them. Null when the file itself can't be read. */
export async function loadManifest(file: string, options: LoadOptions = {}): Promise<LoadedManifest | null> {
  const files = manifestFiles(file);
  const sources = await readSources(files);
  if (sources === null) return null;
  const detectedCommands = await detectCommands(options.root ?? files.project);
  const names = await registryNames(options.root ?? files.project);
  const compilation = await compileAgainst(sources, { commands: detectedCommands, ...names }, files);
  return { sources, compilation, detectedCommands, ...(await readScripts(compilation, files)) };
}

async function readSources(files: Files): Promise<readonly ManifestSource[] | null> {
  const entry = await files.read(files.entry);
  if (entry === null) return null;
  const sources = new Map<string, ManifestSource>([[entry.path, entry]]);
  const queue = [entry];
  for (let source = queue.shift(); source !== undefined && sources.size < MAX_IMPORTS; source = queue.shift())
    for (const path of importsOf(source)) {
      if (sources.has(path)) continue;
      const imported = await files.read(path);
      if (imported === null) continue;
      sources.set(path, imported);
      queue.push(imported);
    }
  return [...sources.values()];
}

/** The workers that the registry lists; nothing of them is executed. */
async function registryNames(folder: string): Promise<Pick<CompileOptions, 'registry' | 'registryProblem'>> {
  const found = await findRoot(folder);
  if ('reason' in found) return {};
  const registry = await readRegistry(found.root);
  if (registry.ok) return { registry: new Set(registry.lines.map(({ name }) => name)) };
  const { code, file, line, column } = registry.problem;
  return { registryProblem: `${code} at ${file}:${line}:${column}` };
}

/** Compiles with what the project has: commands, registry, schemas; and once more when artifacts are missing. */
async function compileAgainst(
  sources: readonly ManifestSource[],
  known: CompileOptions,
  files: Files,
): Promise<Compilation> {
  const options: CompileOptions = { ...known, notInForce: NOT_IN_FORCE, ...(await loadSchemas(sources, files)) };
  const compilation = compile(sources, options);
  const blocks = compilation.workflow?.graph.nodes.flatMap((node) => node.blocks) ?? [];
  const unmatchedArtifacts = await files.unmatched(blocks.flatMap(({ artifact }) => artifact));
  return unmatchedArtifacts.size === 0 ? compilation : compile(sources, { ...options, unmatchedArtifacts });
}

async function readScripts({ workflow }: Compilation, files: Files) {
  const scripts = new Map<string, Script>();
  const scriptDiagnostics: Diagnostic[] = [];
  for (const { name, kind, settings, origin } of workflow?.graph.workers ?? []) {
    const { answers } = settings;
    if (workflow === null || kind !== 'scripted' || typeof answers !== 'string') continue;
    const source = await files.readBeside(origin.file, answers);
    if (source === null) continue;
    const { value, diagnostics } = parseScript(source, workflow.graph);
    scriptDiagnostics.push(...diagnostics);
    if (value !== null) scripts.set(name, value);
  }
  return { scripts, scriptDiagnostics };
}
