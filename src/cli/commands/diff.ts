import path from 'node:path';
import { compareGraphs, differencesMarkdown, findRoot } from '#engine/authoring.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { RunListing } from '#protocol/run-summary.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { affectedRuns, KEEPS_MANIFEST } from '../diff/affected-runs.ts';
import type { AffectedRun } from '../print/json-documents.ts';
import { differencesPage } from '../diff/differences-page.ts';
import { openWorkflow } from '../manifest/open-workflow.ts';
import { printAffectedRuns, printDifferences } from '../print/differences.ts';
import { printJson } from '../print/json.ts';
import { writeProduct } from '../print/write-product.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface DiffOptions {
  readonly json?: true;
  readonly html?: true;
  readonly markdown?: true;
  readonly out?: string;
}

const NEXT = ['robosmith diff --help'];

function checkOptions({ json, html, markdown, out }: DiffOptions): void {
  if ([json, html, markdown].filter((one) => one === true).length > 1)
    throw usageError("--json, --html and --markdown can't be combined.", NEXT);
  if (out !== undefined && html !== true && markdown !== true)
    throw usageError('--out needs --html or --markdown.', NEXT);
}

/** Compares two manifests. The exit codes are those of diff(1): 0 same, 1 different, 2 error. */
export async function diff(a: string, b: string, options: DiffOptions, io: CliIo): Promise<number> {
  checkOptions(options);
  const before = await workflowOf(a, io);
  const after = await workflowOf(b, io);
  if (before === null || after === null) return 2;
  const graphs = { before: before.graph, after: after.graph };
  const differences = compareGraphs(graphs.before, graphs.after);
  const runs = affectedRuns(await runsHere(io), differences);
  const sources = [a, b].map((file) => path.resolve(io.cwd, file));
  if (options.json === true) printJson({ ok: true, same: differences.length === 0, differences, runs }, io.stdout);
  else if (options.html === true)
    await writeProduct(differencesPage(differences, runs, graphs), options.out, io, sources);
  else if (options.markdown === true)
    await writeProduct(differencesMarkdown(differences, graphs) + runsMarkdown(runs), options.out, io, sources);
  else {
    printDifferences(differences, io);
    printAffectedRuns(runs, io);
  }
  return differences.length === 0 ? 0 : 1;
}

const runsMarkdown = (runs: readonly AffectedRun[]): string =>
  runs.length === 0
    ? ''
    : `\n### Runs in flight\n\n${KEEPS_MANIFEST}\n\n${runs.map(({ run, text }) => `- \`${run}\` ${text}\n`).join('')}`;

/** Returns the runs of the project that contains the current folder; none outside of a project. */
async function runsHere(io: CliIo): Promise<readonly RunListing[]> {
  const found = await findRoot(io.cwd);
  if ('reason' in found) return [];
  const { projectRuns } = await import('#engine/index.ts');
  return projectRuns(found.root);
}

const workflowOf = async (file: string, io: CliIo): Promise<CompiledWorkflow | null> =>
  (await openWorkflow(path.resolve(io.cwd, file), io))?.workflow ?? null;
