import { refusalResponse } from '#engine/authoring.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { EXIT_CODE, type Response } from '#protocol/response.ts';
import type { Start } from '#protocol/run.ts';
import { openManifest, runnable } from '../manifest/open-manifest.ts';
import { printInvalid } from '../manifest/open-workflow.ts';
import { printJson } from '../print/json.ts';
import { printRefusal } from '../print/refused.ts';
import { projectRoot } from './in-project.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { exitCode } from '../terminal/exit-code.ts';
import { findStart } from '../run/find-start.ts';

/** What `run` would start. */
interface AtStart {
  readonly root: string;
  readonly manifest: Awaited<ReturnType<typeof openManifest>>;
  readonly workflow: CompiledWorkflow;
  readonly start: Start;
}

/**
 * Looks up what `run` would start in a directory, and hands it to `work`. If it can't be started, prints why. Returns the
 * exit code.
 */
export async function atStart(
  start: string | undefined,
  options: { readonly manifest?: string; readonly json?: true },
  { directory, io }: { readonly directory: string; readonly io: CliIo },
  work: (found: AtStart) => Promise<number>,
): Promise<number> {
  const refused = (response: Response): number => {
    printRefusal(response, options.json === true ? { json: true } : {}, io);
    return exitCode(response);
  };
  const project = await projectRoot(directory, io);
  if ('reason' in project) return refused(refusalResponse(project.reason, { message: project.message }));
  const { root } = project;
  const manifest = await openManifest(options.manifest, [io.cwd, directory], io, root);
  const workflow = runnable(manifest);
  if (workflow === null) {
    printInvalid(manifest, io);
    if (options.json === true) printJson({ ok: false, diagnostics: manifest.findings }, io.stdout);
    return EXIT_CODE.invalid_graph;
  }
  const found = findStart(start, workflow.graph);
  if ('message' in found)
    return refused(refusalResponse('unknown_node', { message: found.message, known: found.known }));
  return work({ root, manifest, workflow, start: found.start });
}
