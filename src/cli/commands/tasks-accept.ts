import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from '../print/json.ts';
import { harmless, styleFor } from '../print/style.ts';
import type { TaskFlags } from '../plan/task-options.ts';
import { refuseTasks } from '../plan/task-trouble.ts';
import { withTaskTree } from '../plan/with-task-tree.ts';

const NOTHING = { changed: [], dropped: [], metaDamaged: false };

function printFiles(verb: string, files: readonly string[], io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const text =
    files.length === 0 ? 'No file was changed by another program.' : `${verb} .flow/${files.join(', .flow/')}.`;
  io.stderr.write(`${paint.green(`${symbols.ok} ${harmless(text)}`)}\n`);
}

/** Accepts changes that another program made to the plan. */
export const tasksAccept = (flags: TaskFlags, io: CliIo): Promise<number> =>
  withTaskTree(flags, io, async (client) => {
    const done = await client.call('tasks.edit', { edit: { kind: 'accept' }, pid: process.pid });
    if (done.kind !== 'accepted') throw new Error(`the plan was ${done.kind}`);
    const { accepted } = done;
    if (!accepted.ok) return refuseTasks(accepted.problems, accepted.notices, flags, io);
    if (flags.json === true) printJson({ ok: true, accepted: accepted.changed }, io.stdout);
    else printFiles('Accepted', accepted.changed, io);
    return 0;
  });

/** Restores the plan as RoboSmith saved it last. */
export const tasksRestore = (flags: TaskFlags, io: CliIo): Promise<number> =>
  withTaskTree(flags, io, async (client) => {
    const done = await client.call('tasks.edit', { edit: { kind: 'restore' }, pid: process.pid });
    if (done.kind !== 'restored') throw new Error(`the plan was ${done.kind}`);
    const { restored } = done;
    if ('code' in restored) return refuseTasks([restored], NOTHING, flags, io);
    if (flags.json === true) printJson({ ok: true, restored }, io.stdout);
    else printFiles('Restored', restored, io);
    return 0;
  });
