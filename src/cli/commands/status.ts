import { spentByRun } from '#engine/authoring.ts';
import { type DiskUse, projectDisk, type ProjectStatus, projectStatus } from '#engine/index.ts';
import type { Spent } from '#protocol/spent.ts';
import path from 'node:path';
import type { ConsoleClock } from '../console/terminal.ts';
import { followHostOutput } from '../console/follow-output.ts';
import { processTerminal } from '../console/process-terminal.ts';
import { projectSource } from '../console/read-project.ts';
import { runConsole } from '../console/run-console.ts';
import { liveHost } from '../run/connect-to-host.ts';
import { styleFor } from '../print/style.ts';
import { statusActions } from './status-actions.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson, spentJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { statusLines, statusNext } from '../print/project-status.ts';
import { inProject } from '../project/in-project.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface StatusOptions {
  readonly watch?: true;
  readonly disk?: true;
  readonly all?: true;
  readonly json?: true;
}

/** Returns whether the console can draw; elsewhere the status is printed once. */
const drawsOn = ({ stdout, env }: CliIo): boolean => stdout.isTerminal && env['TERM'] !== 'dumb';

const clock: ConsoleClock = {
  now: () => Date.now(),
  every: (ms, work) => {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
};

/** Shows the console until the person quits. */
async function showConsole(
  root: string,
  { disk, all }: { readonly disk: boolean; readonly all: boolean },
  io: CliIo,
): Promise<number> {
  const followOutput = followHostOutput(() => liveHost(root, io));
  await runConsole({
    project: path.basename(root),
    terminal: processTerminal(io),
    clock,
    style: styleFor(io.stdout, io),
    source: projectSource({ root, disk, all, clock, followOutput }),
    actions: statusActions(root, io),
  });
  return 0;
}

/** Adds what each run outside of sessions has used, for JSON. */
const runsWithCosts = ({ runs }: ProjectStatus, costs: ReadonlyMap<string, Spent>) => ({
  runs: runs.map((run) => ({ ...run, spent: spentJson(costs.get(run.run)) })),
});

/** Prints the status of the project, once or continuously with `--watch`. */
export const status = (options: StatusOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const { watch, disk = false, all = false, json } = options;
    if (watch === true && json === true)
      throw usageError("--watch and --json can't be combined.", ['robosmith status --help']);
    if (watch === true && drawsOn(io)) return showConsole(root, { disk, all }, io);
    const found = await projectStatus(root, io.env);
    const use: DiskUse | null = disk ? await projectDisk(root) : null;
    const costs = found.runs.length === 0 ? new Map<string, Spent>() : spentByRun(root);
    if (json === true) printJson({ ok: true, ...found, ...runsWithCosts(found, costs), disk: use }, io.stdout);
    else {
      for (const line of statusLines(found, { disk: use, all, costs }, io)) io.stdout.write(`${line}\n`);
      printNext(statusNext(found), io);
    }
    return 0;
  });
