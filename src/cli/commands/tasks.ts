import { projectTasks } from '#engine/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from '../print/json.ts';
import { printTasks } from '../print/tasks.ts';
import type { TaskFlags } from '../plan/task-options.ts';
import { refuseTasks, printNotices } from '../plan/task-trouble.ts';
import { readingTasks } from '../plan/with-task-tree.ts';

/** Lists the tasks in scope. */
export const tasks = (flags: TaskFlags, io: CliIo): Promise<number> =>
  readingTasks(flags, io, async (root) => {
    const listed = await projectTasks(root);
    if (!listed.ok) return refuseTasks(listed.problems, listed.notices, flags, io);
    const { notices, ...listing } = listed.listing;
    const refused = printNotices(notices, false, flags, io);
    if (refused !== null) return refused;
    if (flags.json === true) printJson({ ok: true, ...listing, changed: notices.changed }, io.stdout);
    else printTasks(listed.listing, io);
    return 0;
  });
