import { createControlInbox } from '#actors/control/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { folderWatch } from '#io/files/folder-watch.ts';
import { newId } from '#io/clock/identity.ts';

/*
 * A process that runs a run, as far as its clients see: `control-owner.ts <.flow> [idle]`. It writes a line for each request.
 * `idle`: it has nothing else to do, so that it ends when its inbox does not keep it. Else it ends with its input.
 */
const [, , folder = '', idle = ''] = process.argv;

createControlInbox(
  {
    calls: fileCalls,
    folder,
    watch: folderWatch,
    newId: () => newId(8),
    now: () => Date.now(),
    report: (message) => process.stdout.write(`report ${message}\n`),
  },
  async ({ id, run, verb, by }) => {
    process.stdout.write(`${verb} ${run} ${id} ${by}\n`);
    await Promise.resolve();
    if (run === 'broken') throw new Error('out of order');
    return { accepted: run === 'r1', message: run === 'r1' ? `${verb}: done` : `there is no run ${run}` };
  },
);
if (idle === '') process.stdin.resume();
process.stdout.write('ready\n');
