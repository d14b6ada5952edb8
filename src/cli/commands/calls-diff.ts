import { compareLogged } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printComparison } from '../print/call-comparison.ts';
import { printJson } from '../print/json.ts';
import { findCall } from '../project/find-call.ts';
import { inProject } from '../project/in-project.ts';

export interface CallsDiffOptions {
  readonly json?: true;
}

/** Prints two logged calls side by side: the differences of their requests and answers. */
export const callsDiff = (left: string, right: string, options: CallsDiffOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const comparison = await compareLogged(findCall(left, root), findCall(right, root));
    if (options.json === true) printJson({ ok: true, ...comparison }, io.stdout);
    else printComparison(comparison, io);
    return 0;
  });
