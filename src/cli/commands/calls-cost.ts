import { contextSavings, GROUPINGS, paidCalls, pricesToday, sumCalls } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printCosts } from '../print/call-costs.ts';
import { printJson } from '../print/json.ts';
import { findRun } from '../project/find-run.ts';
import { inProject } from '../project/in-project.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface CallsCostOptions {
  readonly by?: string;
  readonly run?: string;
  readonly json?: true;
}

/** Sums tokens and costs of the logged calls, by model unless `--by` says otherwise. */
export const callsCost = (options: CallsCostOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const by = GROUPINGS.find((one) => one === (options.by ?? 'model'));
    if (by === undefined)
      throw usageError(`"${options.by ?? ''}" is not a grouping of costs. Use one of ${GROUPINGS.join(', ')}.`, [
        'robosmith calls cost --by model',
      ]);
    const { run } = options;
    const calls = paidCalls(root).filter((one) => run === undefined || one.run?.startsWith(run) === true);
    if (run !== undefined && calls.length === 0) findRun(run, root);
    const { priceOf, files, problems } = await pricesToday(root, io.env);
    const sums = sumCalls(calls, by, priceOf);
    const prices = files.map(({ prices: known, ...one }) => ({ ...one, models: Object.keys(known) }));
    const context = contextSavings(root, run);
    if (options.json === true) printJson({ ok: true, by, ...sums, context, prices }, io.stdout);
    else printCosts({ ...sums, context }, by, { files: files.map(({ file }) => file), problems }, io);
    return 0;
  });
