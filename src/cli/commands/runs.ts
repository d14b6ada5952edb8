import { projectRuns, type RunListing } from '#engine/index.ts';
import { spentByRun } from '#engine/authoring.ts';
import type { Spent } from '#protocol/spent.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson, spentJson } from '../print/json.ts';
import { printRuns } from '../print/runs.ts';
import { inProject } from '../project/in-project.ts';

export interface RunsOptions {
  readonly json?: true;
}

/** Adds what a run has used, for JSON. */
const withCost = (listing: RunListing, costs: ReadonlyMap<string, Spent>) =>
  listing.kind === 'run' ? { ...listing, spent: spentJson(costs.get(listing.run)) } : listing;

/** Lists all runs of the project, newest first. */
export const runs = (options: RunsOptions, io: CliIo): Promise<number> =>
  inProject(options, io, (root) => {
    const listings = projectRuns(root);
    const costs = spentByRun(root);
    if (options.json === true) printJson({ ok: true, runs: listings.map((one) => withCost(one, costs)) }, io.stdout);
    else printRuns(listings, costs, io);
    return 0;
  });
