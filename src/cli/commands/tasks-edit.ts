import { projectTasks } from '#engine/index.ts';
import { TASK_MARKER, type TaskAddress, type TaskStatus } from '#protocol/task-tree.ts';
import type { TaskEdit, TaskEditOutcome } from '#protocol/task-work.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { didYouMean } from '#protocol/nearest.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { harmless, styleFor } from '../print/style.ts';
import type { TaskFlags } from '../plan/task-options.ts';
import { printNotices, refuseTasks, warnOfNode } from '../plan/task-trouble.ts';
import { withTaskTree } from '../plan/with-task-tree.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface AddressFlags extends TaskFlags {
  readonly name?: string;
  readonly structure?: string;
}

export interface AddFlags extends TaskFlags {
  readonly under?: string;
  readonly before?: string;
  readonly node?: string;
}

export interface MoveFlags extends AddressFlags {
  readonly under?: string;
  readonly before?: string;
  readonly last?: true;
}

const addressOf = (id: string, { name, structure }: AddressFlags): TaskAddress => ({
  id,
  ...(name === undefined ? {} : { anchor: name }),
  ...(structure === undefined ? {} : { structure }),
});

/** Returns the exit code if `--strict` is set and the plan has changes that were not accepted, or else null. */
async function refuseUnaccepted(flags: TaskFlags, root: string, io: CliIo): Promise<number | null> {
  if (flags.strict !== true) return null;
  const listed = await projectTasks(root);
  return printNotices(listed.ok ? listed.listing.notices : listed.notices, false, flags, io);
}

const edit = (asked: TaskEdit, flags: TaskFlags, doneText: string, io: CliIo): Promise<number> =>
  withTaskTree(flags, io, async (client, root) => {
    const refused = await refuseUnaccepted(flags, root, io);
    if (refused !== null) return refused;
    const done = await client.call('tasks.edit', { edit: asked, pid: process.pid });
    if (done.kind !== 'edited') throw new Error(`the plan was ${done.kind}`);
    const { edited } = done;
    if (!edited.ok) return refuseTasks(edited.problems, edited.notices, flags, io);
    printNotices(edited.notices, true, {}, io);
    printEdited(edited, flags, doneText, io);
    if (asked.kind === 'add' && asked.node !== undefined) await warnOfNode(asked.node, root, io);
    return 0;
  });

function printEdited(
  { task, scope, notices }: Extract<TaskEditOutcome, { ok: true }>,
  { json }: TaskFlags,
  doneText: string,
  io: CliIo,
): void {
  if (json === true) {
    return printJson({ ok: true, task, scope, changed: notices.changed }, io.stdout);
  }
  const { paint, symbols } = styleFor(io.stderr, io);
  const what = task === null ? '' : `  ${task.id} [${TASK_MARKER[task.status]}] ${task.name}`;
  io.stderr.write(`${paint.green(`${symbols.ok} ${doneText}`)}${harmless(what)}\n`);
  if (doneText === 'Zoomed in' || doneText === 'Zoomed out') {
    io.stderr.write(paint.dim(`  in .flow/${harmless(scope.at(-1) ?? 'status.md')}\n`));
    printNext(['robosmith tasks', ...(scope.length > 0 ? ['robosmith zoom out'] : [])], io);
  }
}

export function tasksAdd(name: string, flags: AddFlags, io: CliIo): Promise<number> {
  const { under, before, node } = flags;
  if (under !== undefined && before !== undefined)
    throw usageError("--under and --before can't be combined.", ['robosmith tasks add --help']);
  const asked: TaskEdit = {
    kind: 'add',
    name,
    ...(node === undefined ? {} : { node }),
    ...(under === undefined ? {} : { under: { id: under } }),
    ...(before === undefined ? {} : { before: { id: before } }),
  };
  return edit(asked, flags, 'Added', io);
}

const STATUSES = Object.keys(TASK_MARKER) as readonly TaskStatus[];

/** Returns the status with this name or marker. */
function statusOf(word: string): TaskStatus {
  const bare = /^\[(.)\]$/.exec(word)?.[1];
  const found = STATUSES.find((status) => status === word || (bare !== undefined && TASK_MARKER[status] === bare));
  if (found !== undefined) return found;
  throw usageError(`"${word}" is not a task status. Use one of ${STATUSES.join(', ')}.${didYouMean(word, STATUSES)}`, [
    'robosmith tasks set --help',
  ]);
}

export function tasksSet(id: string, status: string, flags: AddressFlags, io: CliIo): Promise<number> {
  return edit({ kind: 'set', task: addressOf(id, flags), status: statusOf(status) }, flags, 'Set', io);
}

export function tasksRemove(id: string, flags: AddressFlags, io: CliIo): Promise<number> {
  return edit({ kind: 'remove', task: addressOf(id, flags) }, flags, 'Removed; the old file is in .flow/backups', io);
}

export function tasksMove(id: string, flags: MoveFlags, io: CliIo): Promise<number> {
  const { under, before, last } = flags;
  if ([under, before, last].filter((one) => one !== undefined).length !== 1)
    throw usageError('Give one of --before, --under and --last, which say where the task goes.', [
      'robosmith tasks move --help',
    ]);
  const task = addressOf(id, flags);
  const asked: TaskEdit =
    before === undefined
      ? { kind: 'move', task, under: under === undefined ? null : { id: under } }
      : { kind: 'move', task, before: { id: before } };
  return edit(asked, flags, 'Moved', io);
}

export function zoomIn(id: string, flags: AddressFlags, io: CliIo): Promise<number> {
  return edit({ kind: 'zoom_in', task: addressOf(id, flags) }, flags, 'Zoomed in', io);
}

export function zoomOut(flags: TaskFlags, io: CliIo): Promise<number> {
  return edit({ kind: 'zoom_out' }, flags, 'Zoomed out', io);
}
