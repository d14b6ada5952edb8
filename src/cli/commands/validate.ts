import { writesNothing } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openManifest, type OpenManifest } from '../manifest/open-manifest.ts';
import { countText, printDiagnostics } from '../print/diagnostics.ts';
import { printJson } from '../print/json.ts';
import { isScriptedIn } from '../print/scripted-blocks.ts';
import { harmless, styleFor } from '../print/style.ts';

export interface ValidateOptions {
  readonly manifest?: string;
  readonly json?: true;
}

export async function validate(options: ValidateOptions, io: CliIo): Promise<number> {
  const manifest = await openManifest(options.manifest, [io.cwd], io);
  const ok = !manifest.findings.some(({ severity }) => severity === 'error');
  const notes = notesOf(manifest);
  if (options.json === true)
    printJson({ ok, diagnostics: manifest.findings, ...(notes.length === 0 ? {} : { notes }) }, io.stdout);
  else report(manifest, notes, ok, io);
  return ok ? 0 : 2;
}

/** Returns which blocks may write nothing. It is no diagnostic, since the change plan of a session can permit it. */
function notesOf({ compilation: { workflow } }: OpenManifest): readonly string[] {
  return workflow === null ? [] : writesNothing(workflow.graph, isScriptedIn(workflow.graph, new Set()));
}

function report(manifest: OpenManifest, notes: readonly string[], ok: boolean, io: CliIo): void {
  printDiagnostics(manifest.findings, manifest.texts, io);
  const { paint, symbols } = styleFor(io.stderr, io);
  for (const note of notes) io.stderr.write(`${paint.yellow(symbols.warn)} ${harmless(note)}\n`);
  const count = countText(manifest.findings);
  io.stderr.write(
    ok
      ? `${paint.green(symbols.ok)} ${manifest.shown}: ${size(manifest)}, ${count}.\n`
      : `${paint.red(symbols.bad)} ${manifest.shown}: ${count}.\n`,
  );
}

function size({ compilation }: OpenManifest): string {
  const nodes = compilation.workflow?.graph.nodes ?? [];
  const blocks = nodes.reduce((sum, node) => sum + node.blocks.length, 0);
  return `${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}, ${blocks} ${blocks === 1 ? 'block' : 'blocks'}`;
}
