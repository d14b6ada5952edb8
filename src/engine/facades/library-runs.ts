import { compile as compileSources, type CompileOptions } from '#compiler/index.ts';
import type { Compilation, CompiledWorkflow, ManifestSource } from '#protocol/compiled.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Response } from '#protocol/response.ts';
import type { Run, RunPorts } from '#protocol/run.ts';
import { realPorts } from '../run/ports.ts';
import { simulate as simulateRun } from '../run/simulate.ts';
import { startRun as startInMemory } from '../run/start-run.ts';
import { checkObject, checkText } from './check-arguments.ts';
import { type LibraryRunOptions, runOptionsOf } from './library-options.ts';
import { loadManifest, type LoadedManifest } from '../manifest/load-manifest.ts';

/**
 * Compiles manifest text. The first source is the manifest, the others are the files that it imports. Pass the names of
 * your own workers and conditions in `registry` and `conditions`. Errors in the text are returned as diagnostics;
 * throws `usage` only for arguments of the wrong kind.
 */
export function compile(sources: readonly ManifestSource[], options: CompileOptions = {}): Compilation {
  if (!Array.isArray(sources) || sources.length === 0)
    throw new RoboSmithError('usage', 'compile takes a list of sources, [{ path, text }], with the manifest first.', {
      argument: 'sources',
    });
  for (const [index, source] of (sources as readonly ManifestSource[]).entries()) {
    checkObject(`sources[${index}]`, source, 'an object { path, text }');
    checkText(`sources[${index}].path`, source.path);
    checkText(`sources[${index}].text`, source.text);
  }
  return compileSources(sources, options);
}

/** Starts a run that ends when this process ends. Its Response has `unknown_node` if the graph has no such start. */
export function startRun(
  workflow: CompiledWorkflow,
  options: LibraryRunOptions,
  ports: RunPorts = realPorts('.'),
): Run {
  return startInMemory(workflow, runOptionsOf(options), ports);
}

/** Runs a workflow on scripted answers in virtual time: no process, no network, no file. */
export function simulate(workflow: CompiledWorkflow, options: LibraryRunOptions): Promise<Response> {
  return simulateRun(workflow, runOptionsOf(options));
}

/** Locates, reads and checks a manifest. */
export class WorkflowService {
  /** Reads a manifest file and its imports; null when the file can't be read. Faults are in `compilation.diagnostics`. */
  load(file: string): Promise<LoadedManifest | null> {
    return loadManifest(file);
  }
}
