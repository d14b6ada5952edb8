import { stat } from 'node:fs/promises';
import path from 'node:path';
import { detectCommands, findManifest } from '#engine/authoring.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { DO_FOLDER } from '../names/do-folder.ts';
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

/** Returns the check of a project without a manifest. One in which `do` has worked needs none. */
async function checkMissing(root: string | null): Promise<Check> {
  const hasDone = root !== null && (await stat(path.join(root, ...DO_FOLDER.split('/'))).catch(() => null)) !== null;
  return hasDone
    ? ok('manifest', 'no .vision/workflows.json; `do`, `clash` and `land` need none, and `init` writes a starter')
    : fail(
        'manifest',
        'There is no .vision/workflows.json here or in any folder above.',
        'Type `robosmith init` for a starter, or name one with --manifest. `robosmith do`, `clash` and `land` need none.',
        'init',
      );
}

export async function checkManifest(
  option: string | undefined,
  root: string | null,
  io: CliIo,
): Promise<CheckedManifest> {
  if (option === undefined && (await findManifest(io.cwd)) === null)
    return { checks: [await checkMissing(root)], workflow: null, detected: await detectCommands(root ?? io.cwd) };
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
      checks: [fail('manifest', error.message, 'Name another one with --manifest.')],
      workflow: null,
      detected: await detectCommands(root ?? io.cwd),
    };
  }
}
