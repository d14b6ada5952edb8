import { type DiskUse, projectDisk, projectStatus } from '#engine/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { statusLines, statusNext } from '../print/project-status.ts';
import { inProject } from '../project/in-project.ts';
import { usageError } from '../terminal/usage-error.ts';
import { watchStatus } from '../sessions/watch-status.ts';

export interface StatusOptions {
  readonly watch?: true;
  readonly disk?: true;
  readonly all?: true;
  readonly json?: true;
}

/** Prints the status of the project, once or continuously with `--watch`. */
export const status = (options: StatusOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const { watch, disk = false, all = false, json } = options;
    if (watch === true && json === true)
      throw usageError('--watch draws on the screen; --json prints one document.', ['robosmith status --help']);
    if (watch === true && io.stdout.isTerminal) return watchStatus(root, { disk, all }, io);
    const found = await projectStatus(root);
    const use: DiskUse | null = disk ? await projectDisk(root) : null;
    if (json === true) printJson({ ok: true, ...found, disk: use }, io.stdout);
    else {
      for (const line of statusLines(found, { disk: use, all }, io)) io.stdout.write(`${line}\n`);
      printNext(statusNext(found), io);
    }
    return 0;
  });
