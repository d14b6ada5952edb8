import type { CleaningItem } from '#engine/index.ts';
import type { CleaningResult } from '#protocol/host.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printCleaning } from '../print/cleaning.ts';
import { printJson } from '../print/json.ts';
import { printRefusal } from '../print/refused.ts';
import { harmless } from '../print/style.ts';
import { withClient } from '../run/with-client.ts';
import { confirmTrust } from '../trust/ask-trust.ts';
import { usageError } from '../terminal/usage-error.ts';
import { withFindings } from './worktrees.ts';

export interface WorktreesCleanOptions {
  readonly yes?: true;
  readonly json?: true;
}

/** Runs are not cleaned by this command. */
const isItem = (result: CleaningResult): result is CleaningItem => result.what !== 'runs';

/** Removes leftovers through git, after confirmation. */
export const worktreesClean = (options: WorktreesCleanOptions, io: CliIo): Promise<number> =>
  withFindings(options, io, async ({ goes, stays }, root) => {
    const isJson = options.json === true;
    if (goes.length === 0) {
      if (isJson) printJson({ ok: true, gone: [], stays }, io.stdout);
      else {
        printCleaning('Stays', stays, io);
        io.stdout.write('Nothing to remove.\n');
      }
      return 0;
    }
    if (!isJson) printCleaning(options.yes === true ? 'Goes' : 'To be removed', goes, io);
    if (options.yes !== true) {
      if (!io.interactive)
        throw usageError('Add --yes: confirmation is not possible here, because this is not a terminal.', [
          'robosmith worktrees clean --yes',
        ]);
      const count = goes.length === 1 ? 'it' : `these ${goes.length}`;
      if (!(await confirmTrust(`Remove ${count}?`))) return 2;
    }
    const warn = (message: string): void => io.stderr.write(`${harmless(message)}\n`);
    const items = goes.map(({ what, name }) => ({ what, name }));
    const done = await withClient(root, { io, warn }, (client) => client.call('leftovers.remove', { items }));
    if (!done.ok) return printRefusal(done.refusal, options, io);
    const cleaned = { gone: done.value.gone.filter(isItem), stays: done.value.stays.filter(isItem) };
    const missed = goes.filter(({ name }) => !cleaned.gone.some((one) => one.name === name));
    if (isJson) printJson({ ok: true, ...cleaned }, io.stdout);
    else {
      printCleaning('Stays', cleaned.stays, io);
      io.stdout.write(`${cleaned.gone.length} of ${goes.length} removed.\n`);
    }
    return missed.length === 0 ? 0 : 1;
  });
