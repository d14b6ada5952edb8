import { detectCommands } from '#engine/authoring.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openManifest, runnable } from '../manifest/open-manifest.ts';
import { countText } from '../print/diagnostics.ts';
import { fail, ok, warn } from './check.ts';
import type { Check } from '../print/json-documents.ts';

export interface CheckedManifest {
  readonly checks: readonly Check[];
  readonly workflow: CompiledWorkflow | null;
  /** Commands detected from the project's own files. */
  readonly detected: Graph['commands'];
}

export async function checkManifest(
  option: string | undefined,
  root: string | null,
  io: CliIo,
): Promise<CheckedManifest> {
  try {
    const manifest = await openManifest(option, [io.cwd], io, root ?? io.cwd);
    const { detectedCommands: detected } = manifest;
    const workflow = runnable(manifest);
    const text = `${manifest.shown}: ${countText(manifest.findings)}`;
    if (workflow === null)
      return { checks: [fail('manifest', text, 'Type `robosmith validate` to see them.')], workflow, detected };
    return {
      checks: [
        manifest.findings.length === 0
          ? ok('manifest', text)
          : warn('manifest', text, 'Type `robosmith validate` to see them.'),
      ],
      workflow,
      detected,
    };
  } catch (error) {
    if (!RoboSmithError.is(error)) throw error;
    return {
      checks: [fail('manifest', error.message, 'Type `robosmith init` for a starter, or name one with --manifest.')],
      workflow: null,
      detected: await detectCommands(root ?? io.cwd),
    };
  }
}
