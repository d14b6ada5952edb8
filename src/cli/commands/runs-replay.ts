import path from 'node:path';
import { replayStored, runDetails } from '#engine/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openWorkflow } from '../manifest/open-workflow.ts';
import { type Difference, lookUpText } from '../print/differences.ts';
import { printJson } from '../print/json.ts';
import { printRefusal } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { findRun, noSuchRun } from '../project/find-run.ts';
import { inProject } from '../project/in-project.ts';
import { stateTroubleOf } from '../project/state-trouble.ts';

export interface RunsReplayOptions {
  readonly manifest?: string;
  readonly json?: true;
}

/**
 * Replays a run from its journal without executing anything, and checks that it takes the same path, optionally with
 * another manifest.
 */
export const runsReplay = (name: string, options: RunsReplayOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const run = findRun(name, root);
    try {
      const details = runDetails(root, run);
      if (details === null) throw noSuchRun(run, root);
      const { steps } = details.listing.summary;
      const workflow = await otherWorkflow(options.manifest, root, io);
      if (workflow === 'invalid') return 2;
      const replayed = await replayStored(root, run, workflow);
      const difference = replayed.kind === 'different' ? replayed.difference : null;
      const same = replayed.kind === 'same';
      if (options.json === true) printJson({ ok: true, run, same, steps, difference }, io.stdout);
      else if (difference === null) printSame(steps, io);
      else printDifference(difference, io);
      return same ? 0 : 1;
    } catch (thrown) {
      const trouble = stateTroubleOf(thrown, root, run);
      if (trouble === null) throw thrown;
      return printRefusal(trouble, options, io);
    }
  });

async function otherWorkflow(
  manifest: string | undefined,
  root: string,
  io: CliIo,
): Promise<CompiledWorkflow | undefined | 'invalid'> {
  if (manifest === undefined) return undefined;
  return (await openWorkflow(path.resolve(io.cwd, manifest), io, root))?.workflow ?? 'invalid';
}

function printSame(steps: number, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stdout, io);
  io.stdout.write(`${paint.green(symbols.ok)} The same path, ${steps} ${steps === 1 ? 'step' : 'steps'}.\n`);
}

function printDifference({ recorded, now }: Difference, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stdout, io);
  io.stdout.write(`${paint.red(symbols.bad)} Another path. The first difference:\n`);
  io.stdout.write(`  ${paint.dim('recorded')}  ${harmless(lookUpText(recorded))}\n`);
  io.stdout.write(`  ${paint.dim('now')}       ${harmless(lookUpText(now))}\n`);
}
