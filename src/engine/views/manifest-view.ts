import path from 'node:path';
import { manifestPath } from '#io/project/project.ts';
import { viewGraph } from '#logic/picture/view-graph.ts';
import type { Diagnostic } from '#protocol/diagnostic.ts';
import type { ManifestProblems, ViewGraph } from '#protocol/generated/view.gen.ts';
import type { Graph } from '#protocol/graph.ts';
import { loadManifest } from '../manifest/load-manifest.ts';

/** A project's manifest for views. `graph` is null if there is no manifest, or if it has errors. */
export interface ManifestView {
  readonly file: string;
  readonly graph: Graph | null;
  readonly shown: ViewGraph | null;
  readonly problems: ManifestProblems | null;
}

function problemsOf(diagnostics: readonly Diagnostic[], file: string): ManifestProblems | null {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (diagnostics.length === 0) return null;
  const [first] = errors.length > 0 ? errors : diagnostics;
  return {
    errors: errors.length,
    warnings: diagnostics.length - errors.length,
    file: first?.file ?? file,
    first: first === undefined ? null : { line: first.line, column: first.column, message: first.message },
  };
}

/** Reads and checks a project's manifest; null if it has none. */
export async function manifestView(root: string, hash: (graph: Graph) => string): Promise<ManifestView | null> {
  const file = await manifestPath(root);
  const loaded = await loadManifest(path.join(root, file), { root });
  if (loaded === null) return null;
  const { compilation, scriptDiagnostics } = loaded;
  const graph = compilation.workflow?.graph ?? null;
  return {
    file,
    graph,
    shown: graph === null ? null : viewGraph(graph, hash(graph)),
    problems: problemsOf([...compilation.diagnostics, ...scriptDiagnostics], file),
  };
}
