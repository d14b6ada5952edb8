import path from 'node:path';
import { compareGraphs } from '#engine/authoring.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openWorkflow } from '../manifest/open-workflow.ts';
import { printDifferences } from '../print/differences.ts';
import { printJson } from '../print/json.ts';

export interface DiffOptions {
  readonly json?: true;
}

/** Compares two manifests. The exit codes are those of diff(1): 0 same, 1 different, 2 error. */
export async function diff(a: string, b: string, options: DiffOptions, io: CliIo): Promise<number> {
  const before = await workflowOf(a, io);
  const after = await workflowOf(b, io);
  if (before === null || after === null) return 2;
  const differences = compareGraphs(before.graph, after.graph);
  if (options.json === true) printJson({ ok: true, same: differences.length === 0, differences }, io.stdout);
  else printDifferences(differences, io);
  return differences.length === 0 ? 0 : 1;
}

const workflowOf = async (file: string, io: CliIo): Promise<CompiledWorkflow | null> =>
  (await openWorkflow(path.resolve(io.cwd, file), io))?.workflow ?? null;
