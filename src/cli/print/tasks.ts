import type { TaskListing } from '#engine/index.ts';
import type { TaskLine } from '#protocol/task-plan.ts';
import { TASK_MARKER, type TaskStatus } from '#protocol/task-tree.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printNext } from './problem.ts';
import { harmless, type Style, styleFor } from './style.ts';

const PAINT: Readonly<Record<TaskStatus, keyof Style['paint']>> = {
  pending: 'bold',
  active: 'cyan',
  done: 'green',
  skipped: 'dim',
  failed: 'red',
};

const counted = (count: number, what: string): string => `${count} ${what}`;

function summaryOf(tasks: readonly TaskLine[]): string {
  const order: readonly TaskStatus[] = ['done', 'active', 'pending', 'skipped', 'failed'];
  const parts = order.flatMap((status) => {
    const count = tasks.filter((task) => task.status === status).length;
    return count === 0 ? [] : [counted(count, status)];
  });
  return `${counted(tasks.length, tasks.length === 1 ? 'task' : 'tasks')}: ${parts.join(', ')}`;
}

function noteOf({ reference, metadata, run, failures, status }: TaskLine): string {
  const { type, node } = metadata;
  return [
    ...(type === 'flow' ? [`runs ${node ?? 'the node of the same name'}`] : []),
    ...(reference === null ? [] : [`in ${reference}`]),
    ...(run !== null && (status === 'active' || status === 'failed') ? [run] : []),
    ...(failures > 0 ? [`failed ${failures === 1 ? 'once' : `${failures} times`}`] : []),
  ].join(' · ');
}

/** Prints the tasks with ids and markers, and suggested commands. */
export function printTasks({ file, scope, tasks, active }: TaskListing, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stdout, io);
  if (scope.length > 0) io.stdout.write(`${paint.dim(`In .flow/${harmless(file)}`)}\n`);
  if (tasks.length === 0) {
    io.stdout.write('No tasks yet.\n');
    printNext(['robosmith tasks add "Write the parser"', ...(scope.length > 0 ? ['robosmith zoom out'] : [])], io);
    return;
  }
  const width = tasks.reduce((most, { id }) => Math.max(most, id.length), 0);
  for (const task of tasks) {
    const { id, name, status, depth } = task;
    const colour = paint[PAINT[status]];
    const note = noteOf(task);
    const here = id === active ? ` ${paint.cyan(symbols.arrow)}` : '  ';
    io.stdout.write(
      `${paint.dim(id.padEnd(width))}${here} ${'    '.repeat(depth)}${colour(`[${TASK_MARKER[status]}] ${harmless(name)}`)}${note === '' ? '' : paint.dim(`  ${harmless(note)}`)}\n`,
    );
  }
  io.stdout.write(`${paint.dim(summaryOf(tasks))}\n`);
  printNext(active === null ? (scope.length > 0 ? ['robosmith zoom out'] : []) : ['robosmith next'], io);
}
