import { createControlInbox } from '#actors/control/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { folderWatch } from '#io/files/folder-watch.ts';
import { newId } from '#io/clock/identity.ts';

/*
 * `control-owner.ts <.flow> [idle]`: imitates a process that executes a run, as seen by its clients. It prints a line
 * for each control request. With `idle` it ends unless its inbox keeps it alive; otherwise it ends with its input.
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
  async (request) => {
    if (request.verb === 'plan') return { accepted: false, message: 'no plan' };
    const { id, run, verb, by } = request;
    process.stdout.write(`${verb} ${run} ${id} ${by}\n`);
    await Promise.resolve();
    if (run === 'broken') throw new Error('out of order');
    return { accepted: run === 'r1', message: run === 'r1' ? `${verb}: done` : `there is no run ${run}` };
  },
);
if (idle === '') process.stdin.resume();
process.stdout.write('ready\n');
