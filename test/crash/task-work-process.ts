import { fileCalls } from '#io/files/file-calls.ts';
import { deadlyFileCalls } from './deadly-file-calls.ts';
import { createKillSwitch } from './kill-switch.ts';
import { workOnTasks } from './work-on-tasks.ts';

/*
 * Runs `robosmith work --trust` in a process that kills itself at the n-th write of the task tree or of the intents.
 * The second argument is n.
 */

const [root = '', killAt = ''] = process.argv.slice(2);
const { reach, points } = createKillSwitch(killAt === '' ? null : Number(killAt));
const calls = deadlyFileCalls(fileCalls, (point, first) => {
  if (/^(?:tasks|intents) /.test(point)) reach(point, first);
});

const worked = await workOnTasks(root, calls);
process.stdout.write(`${JSON.stringify({ worked, points })}\n`);
