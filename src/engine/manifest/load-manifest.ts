import {
  compile,
  type CompileOptions,
  importsOf,
  isTemplateImport,
  parseScript,
  templateSource,
} from '#compiler/index.ts';
import { findRoot } from '#io/project/find-root.ts';
import { manifestFiles, type ReadSource } from '#io/project/manifest-files.ts';
import { detectCommands } from '#io/project/project-commands.ts';
import type { Compilation, ManifestSource } from '#protocol/compiled.ts';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Script } from '#protocol/script.ts';
import { loadSchemas } from './load-schemas.ts';
import { readRegistry } from '../registry/read-registry.ts';

/** A manifest that was read from files, with the result of compiling it. */
export interface LoadedManifest {
  /** The texts of the entry file and its imports, in this order. */
  readonly sources: readonly ManifestSource[];
  /** The commands of its graph are the detected ones, overridden by the manifest's. */
  readonly compilation: Compilation;
  /** Commands detected from the project's files, also if the manifest has errors. */
  readonly detectedCommands: Graph['commands'];
  /** The names of the workers in the registry, which is absent if it can't be read. */
  readonly names: Pick<CompileOptions, 'registry' | 'registryProblem'>;
  /** Answers of workers with `kind: "scripted"`, by worker. */
  readonly scripts: ReadonlyMap<string, Script>;
  readonly scriptDiagnostics: readonly Diagnostic[];
}

/** The maximum number of files that a manifest may import. */
const MAX_IMPORTS = 1_000;

type Files = ReturnType<typeof manifestFiles>;

export interface LoadOptions {
  /** The project, for commands and the registry; by default the manifest's own. */
  readonly root?: string;
  /** True if the rules of the manifest are not decided. */
  readonly ignoreRules?: true;
}

interface ReadSources {
  readonly sources: readonly ManifestSource[];
  /** Why imports can't be read, by their path in the project; missing files are not included. */
  readonly importProblems: ReadonlyMap<string, string>;
}

/**
 * Reads a manifest and its imports, and compiles them. Null if the file is missing. Throws `unsafe_path` for a link out
 * of its project, and `io` if it can't be read.
 */
export async function loadManifest(file: string, options: LoadOptions = {}): Promise<LoadedManifest | null> {
  const files = manifestFiles(file);
  const entry = await readEntry(files);
  if (entry === null) return null;
  const { sources, importProblems } = await readSources(files, entry);
  const detectedCommands = await detectCommands(options.root ?? files.project);
  const names = await registryNames(options.root ?? files.project);
  const rules = options.ignoreRules === true ? ({ ignoreRules: true } as const) : {};
  const known = { commands: detectedCommands, importProblems, ...names, ...rules };
  return { sources, detectedCommands, names, ...(await compileAgainst(sources, known, files)) };
}

async function readEntry(files: Files): Promise<ManifestSource | null> {
  const read = await files.read(files.entry);
  if ('source' in read) return read.source;
  if ('missing' in read) return null;
  throw read.leadsOut === true
    ? new RoboSmithError(
        'unsafe_path',
        `${files.entry} leads out of the project: ${read.why}. Nothing of it was read. Put the file itself there.`,
        { path: files.entry, next: ['robosmith init'] },
      )
    : new RoboSmithError('io', `${files.entry} cannot be read: ${read.why}.`, { path: files.entry });
}

async function readImport(files: Files, path: string): Promise<ReadSource> {
  if (!isTemplateImport(path)) return files.read(path);
  const source = templateSource(path);
  return source === null ? { why: 'there is no such template. robosmith init --help lists them' } : { source };
}

async function readSources(files: Files, entry: ManifestSource): Promise<ReadSources> {
  const sources = new Map<string, ManifestSource>([[entry.path, entry]]);
  const importProblems = new Map<string, string>();
  const queue = [entry];
  for (let source = queue.shift(); source !== undefined; source = queue.shift())
    for (const path of importsOf(source)) {
      if (sources.has(path) || importProblems.has(path)) continue;
      const read: ReadSource =
        sources.size < MAX_IMPORTS
          ? await readImport(files, path)
          : { why: `a manifest has at most ${MAX_IMPORTS} files` };
      if ('why' in read) importProblems.set(path, read.why);
      if (!('source' in read)) continue;
      sources.set(path, read.source);
      queue.push(read.source);
    }
  return { sources: [...sources.values()], importProblems };
}

/** Returns the names of the workers in the registry; executes nothing. */
async function registryNames(folder: string): Promise<Pick<CompileOptions, 'registry' | 'registryProblem'>> {
  const found = await findRoot(folder);
  if ('reason' in found) return {};
  const registry = await readRegistry(found.root);
  if (registry.ok) return { registry: new Set(registry.lines.map(({ name }) => name)) };
  const { code, file, line, column } = registry.problem;
  return { registryProblem: `${code} at ${file}:${line}:${column}` };
}

/**
 * Compiles with the project's commands, registry and schemas. Then looks up the files that the result names, and
 * compiles again.
 */
async function compileAgainst(sources: readonly ManifestSource[], known: CompileOptions, files: Files) {
  const options: CompileOptions = { ...known, ...(await loadSchemas(sources, files)) };
  const compilation = compile(sources, options);
  const blocks = compilation.workflow?.graph.nodes.flatMap((node) => node.blocks) ?? [];
  const unmatchedArtifacts = await files.unmatched(blocks.flatMap(({ artifact }) => artifact));
  const { answerProblems, ...scripts } = await readScripts(compilation, files);
  const isWhole = unmatchedArtifacts.size === 0 && answerProblems.size === 0;
  return {
    ...scripts,
    compilation: isWhole ? compilation : compile(sources, { ...options, unmatchedArtifacts, answerProblems }),
  };
}

async function readScripts({ workflow }: Compilation, files: Files) {
  const scripts = new Map<string, Script>();
  const scriptDiagnostics: Diagnostic[] = [];
  const answerProblems = new Map<string, string>();
  for (const { name, kind, settings, origin } of workflow?.graph.workers ?? []) {
    const { answers } = settings;
    if (workflow === null || kind !== 'scripted' || typeof answers !== 'string') continue;
    const read = await files.readBeside(origin.file, answers);
    if (!('source' in read)) {
      answerProblems.set(name, 'why' in read ? read.why : 'there is no such file in the project');
      continue;
    }
    const { value, diagnostics } = parseScript(read.source, workflow.graph);
    scriptDiagnostics.push(...diagnostics);
    if (value !== null) scripts.set(name, value);
  }
  return { scripts, scriptDiagnostics, answerProblems };
}
