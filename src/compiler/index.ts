import type { Compilation, ManifestSource } from '#protocol/compiled.ts';
import type { PhaseResult } from '#protocol/diagnostic.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Script } from '#protocol/script.ts';
import { createDiagnose } from './1-parse/diagnose.ts';
import { parse } from './1-parse/parse.ts';
import { printResolved } from './2-resolve/print-resolved.ts';
import { resolve } from './2-resolve/resolve.ts';
import { check } from './3-check/check.ts';
import type { CompileOptions } from './3-check/known-names.ts';
import { emit } from './4-emit/emit.ts';
import { proveRules } from './rules/prove.ts';
import { reportRules } from './rules/report-rules.ts';
import { readScript } from './script/read-script.ts';

export { compareGraphs, type GraphDifference } from './compare/compare-graphs.ts';
export { forecastRun, freeVisit } from './forecast/forecast-run.ts';
export { coverRows, type RowScript } from './rows/cover-rows.ts';
export { describeItem } from './review/describe-item.ts';
export { differenceLines, rowChange } from './review/difference-lines.ts';
export { differencesMarkdown, groupDifferences, summaryOf } from './review/differences-markdown.ts';
export { reviewFiles } from './review/review-files.ts';
export { EXPORT_FORMATS, exportWorkflow } from './export/export-workflow.ts';
export { tooMuchForMermaid } from './export/to-mermaid.ts';
export { TEMPLATES } from './generated/templates.gen.ts';
export { isTemplateImport, templateSource } from './2-resolve/template-source.ts';
export { formatManifest } from './format-manifest.ts';
export { translateManifest } from './format/translate-manifest.ts';
export { findDeepBracket } from './1-parse/find-deep-bracket.ts';
export { importPath, importsOf } from './1-parse/import-path.ts';
export { parseSchemaFile, parseStrictJson, type StrictJson } from './1-parse/parse-strict-json.ts';
export { suggestedIn } from './1-parse/findings.ts';
export { schemaPathsOf } from './1-parse/schema-paths-of.ts';
export { actionText, parseAction } from './2-resolve/action-grammar.ts';
export { actionSlots } from './2-resolve/action-slots.ts';
export {
  afterPrefix,
  blockReference,
  declaredIn,
  type NameInText,
  namesIn,
  type Symbol,
} from './2-resolve/names-in-text.ts';
export { type Role, roleAt } from './2-resolve/role.ts';
export { isTarget } from './2-resolve/short-ways.ts';
export { bareWorker, declaredWorker } from './2-resolve/worker-names.ts';
export { rightWord } from './1-parse/wrong-words.ts';
export { BUILT_IN_CONDITIONS } from './3-check/read-condition.ts';
/** Converts a stored graph, which was checked when it was compiled, to machines. */
export { emit as workflowOf } from './4-emit/emit.ts';
export type { CompileOptions } from './3-check/known-names.ts';

/**
 * Compiles the text of a manifest to machines. `sources[0]` is the entry file, the others are what it imports (see
 * `importsOf`). Faults in the files are returned as diagnostics, never thrown.
 */
export function compile(sources: readonly ManifestSource[], options: CompileOptions = {}): Compilation {
  const diagnose = createDiagnose();
  const parsed = parse(sources, diagnose);
  const manifest = parsed && resolve(parsed, options, diagnose);
  const complete = !diagnose.findings.hasErrors();
  const graph = manifest && check(manifest, options, diagnose);
  const rules = graph === null || options.ignoreRules === true ? [] : proveRules(graph);
  if (manifest && graph) reportRules(rules, manifest, graph, diagnose);
  const workflow = graph === null || diagnose.findings.hasErrors() ? null : emit(graph);
  return {
    workflow,
    rules,
    diagnostics: diagnose.findings.sorted(),
    get resolved() {
      return manifest && complete ? printResolved(manifest, diagnose) : null;
    },
  };
}

/** Parses the file of `--script` and checks it against the graph that its answers are for. */
export function parseScript(source: ManifestSource, graph: Graph): PhaseResult<Script> {
  const diagnose = createDiagnose();
  const value = readScript(source, graph, diagnose);
  return { value, diagnostics: diagnose.findings.sorted() };
}
