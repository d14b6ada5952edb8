import { compile, importsOf, parseScript } from '#compiler/index.ts';
import { manifestFiles } from '#io/manifest-files.ts';
import type { Compilation, ManifestSource } from '#protocol/compiled.ts';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import type { Script } from '#protocol/script.ts';

export interface LoadedManifest {
  /** The entry first, then its imports. */
  readonly sources: readonly ManifestSource[];
  readonly compilation: Compilation;
  /** Answers of workers with `kind: "scripted"`, by worker. */
  readonly scripts: ReadonlyMap<string, Script>;
  readonly scriptDiagnostics: readonly Diagnostic[];
}

/** Files that a manifest may bring in at most. */
const MAX_IMPORTS = 1_000;

/** Reads a manifest and all that it imports, and compiles them. Null when the file itself can't be read. */
export async function loadManifest(file: string): Promise<LoadedManifest | null> {
  const files = manifestFiles(file);
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
  const compilation = compile([...sources.values()]);
  return { sources: [...sources.values()], compilation, ...(await readScripts(compilation, files)) };
}

async function readScripts({ workflow }: Compilation, files: ReturnType<typeof manifestFiles>) {
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
