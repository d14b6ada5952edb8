import { projectWorktrees } from '#engine/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printCleaning } from '../print/cleaning.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { type JsonOption, printRefused } from '../print/refused.ts';
import { inProject } from '../project/in-project.ts';

export interface WorktreesOptions {
  readonly json?: true;
}

type FoundWorktrees = Extract<Awaited<ReturnType<typeof projectWorktrees>>, { readonly ok: true }>;

/** Inspects the worktrees of the project and passes the findings to a function. */
export const withFindings = (
  asked: JsonOption,
  io: CliIo,
  work: (found: FoundWorktrees, root: string) => number | Promise<number>,
): Promise<number> =>
  inProject(asked, io, async (root) => {
    const found = await projectWorktrees(root);
    if (found.ok) return work(found, root);
    return printRefused({ code: 'refused', message: found.why, next: ['robosmith doctor'] }, 1, asked, io);
  });

/** Prints what cleaning would remove, and other problems. */
export const worktrees = (options: WorktreesOptions, io: CliIo): Promise<number> =>
  withFindings(options, io, ({ goes, stays }) => {
    if (options.json === true) printJson({ ok: true, goes, stays }, io.stdout);
    else {
      if (goes.length + stays.length === 0) io.stdout.write('No worktree has problems.\n');
      printCleaning('Can be removed', goes, io);
      printCleaning('Stays', stays, io);
      printNext(goes.length === 0 ? [] : ['robosmith worktrees clean'], io);
    }
    return 0;
  });
