import type { CliIo } from '../terminal/cli-io.ts';
import { openWorkflow } from '../manifest/open-workflow.ts';
import { jsonText, printJson } from '../print/json.ts';
import { outline, printOutline } from '../print/outline.ts';

export interface ManifestShowOptions {
  readonly resolved?: true;
  readonly manifest?: string;
  readonly json?: true;
}

export async function manifestShow(options: ManifestShowOptions, io: CliIo): Promise<number> {
  const open = await openWorkflow(options.manifest, io);
  if (open === null) return 2;
  const { graph } = open.workflow;
  if (options.resolved === true) io.stdout.write(jsonText(open.manifest.compilation.resolved));
  else if (options.json === true) printJson({ ok: true, ...outline(graph) }, io.stdout);
  else printOutline(graph, io);
  return 0;
}
