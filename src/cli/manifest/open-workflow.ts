import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { LoadOptions } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { countText, printDiagnostics } from '../print/diagnostics.ts';
import { aboutManifest } from '../print/next-commands.ts';
import { printProblem } from '../print/problem.ts';
import { openManifest, runnable, type OpenManifest } from './open-manifest.ts';

interface OpenWorkflow {
  readonly manifest: OpenManifest;
  readonly workflow: CompiledWorkflow;
}

/**
 * Opens a manifest for commands that need one without errors. Prints the errors and returns null otherwise. `root`: the
 * project, if known.
 */
export async function openWorkflow(
  option: string | undefined,
  io: CliIo,
  root?: string,
  load: LoadOptions = {},
): Promise<OpenWorkflow | null> {
  const manifest = await openManifest(option, [io.cwd], io, root, load);
  const workflow = runnable(manifest);
  if (workflow !== null) return { manifest, workflow };
  printInvalid(manifest, io);
  return null;
}

export function printInvalid(manifest: OpenManifest, io: CliIo): void {
  printDiagnostics(manifest.findings, manifest.texts, io);
  printProblem(
    {
      code: 'invalid_graph',
      message: `${manifest.shown} has ${countText(manifest.findings)}; nothing was done.`,
      next: [aboutManifest('robosmith validate', manifest.isElsewhere ? manifest.shown : undefined)],
    },
    io,
  );
}
