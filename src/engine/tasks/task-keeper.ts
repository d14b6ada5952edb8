import path from 'node:path';
import {
  type Accepted,
  createTaskStore,
  freeSubFile,
  loadTasks,
  ROOT_FILE,
  type TaskPlace,
  type TaskUpdate,
} from '#actors/task-tree/index.ts';
import type { createIntentLock } from '#actors/engine-lock/index.ts';
import { nextTask } from '#machines/task-tree/active-task.ts';
import { closedAbove, setStatus, startWork } from '#machines/task-tree/change-tree.ts';
import { dispatchTask, mostFailures } from '#machines/task-tree/dispatch-task.ts';
import { findByKey, keyOf } from '#machines/task-tree/find-task.ts';
import { idOf, isClosed, type PlacedTask, walkTasks } from '#machines/task-tree/walk-tasks.ts';
import { fileCalls } from '#io/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import type { TaskDispatch, TaskProblem, TaskRecord, TaskStatus, TaskTree } from '#protocol/task-tree.ts';
import { builtInNames } from '../registry/built-in-names.ts';
import { readRegistry } from '../registry/read-registry.ts';
import { type Edited, editTasks, type TaskEdit } from './edit-tasks.ts';
import { findTaskRun, isSafeToRetry } from './find-task-run.ts';
import { type ListedTasks, listTasks, noticesOf, type TaskNotices } from './list-tasks.ts';
import { scopeOf } from './scope.ts';
import { taskPlace } from './task-place.ts';

/** A task that is to be worked on now. */
export interface PickedTask {
  /** The same wherever it is moved to among its siblings. */
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly dispatch: TaskDispatch;
  readonly record: TaskRecord;
  /** More failures than that, and it is given up. */
  readonly most: number;
}

export type Picked =
  | { readonly kind: 'task'; readonly task: PickedTask; readonly notices: TaskNotices }
  /** `failed`: how many there are that only a person can go on with. `outside`: that are open, and not in the scope. */
  | {
      readonly kind: 'none';
      readonly failed: number;
      readonly total: number;
      readonly outside: number;
      readonly notices: TaskNotices;
    }
  | { readonly kind: 'problems'; readonly problems: readonly TaskProblem[]; readonly notices: TaskNotices };

/** `waits`: for a person, or for being gone on with. */
export type TaskOutcome = 'completed' | 'failed' | 'cancelled' | 'waits';

export type Settled =
  | {
      readonly ok: true;
      /** Its marker now; null: the task is not in the tree any more. */
      readonly status: TaskStatus | null;
      readonly failures: number;
      readonly notices: TaskNotices;
    }
  | { readonly ok: false; readonly problems: readonly TaskProblem[]; readonly notices: TaskNotices };

export type Begun =
  | { readonly kind: 'begun' }
  /** It has failed, or crashed, too often: it is marked as failed. */
  | { readonly kind: 'given_up'; readonly failures: number }
  | { readonly kind: 'problems'; readonly problems: readonly TaskProblem[]; readonly notices: TaskNotices };

/** The work plan of one project, for the process that owns its engine. */
export interface TaskKeeper {
  list(): Promise<ListedTasks>;
  edit(edit: TaskEdit): Promise<Edited>;
  accept(): Promise<Accepted>;
  restore(): Promise<readonly string[] | TaskProblem>;
  pick(): Promise<Picked>;
  /** Before its run begins or goes on: the intent, the markers, the run's id. */
  begin(task: PickedTask, run: RunId): Promise<Begun>;
  /** May the execution with which it has failed be made again unasked? */
  isSafeToRetry(run: RunId): boolean;
  /** After: the marker, or the count of its failures. */
  settle(task: PickedTask, outcome: TaskOutcome): Promise<Settled>;
}

interface KeeperParts {
  readonly root: string;
  readonly place: TaskPlace;
  readonly intents: ReturnType<typeof createIntentLock>;
}

const NEW: TaskRecord = { run: null, counted: false, failures: 0 };

async function workerNames(root: string): Promise<readonly string[]> {
  const registry = await readRegistry(root);
  // What is wrong with it is said when a run is about to use it.
  if (!registry.ok) return [];
  return registry.written ? registry.lines.map(({ name }) => name) : builtInNames();
}

const blocked = ({ file, task: { name, line } }: PlacedTask): TaskProblem => ({
  ...{ code: 'tasks_blocked', file, line: line === 0 ? null : line },
  message: `"${name}" can't go on: what is left below it has failed; set that to pending, done or skipped`,
});

export function createTaskKeeper({ root, place, intents }: KeeperParts): TaskKeeper {
  const store = createTaskStore(place);

  const recordOf = (placed: PlacedTask, known: TaskRecord | undefined): TaskRecord => {
    // A person who has set it to pending wants it done anew.
    if (placed.task.status === 'pending') return NEW;
    if (known !== undefined && known.run !== null) return known;
    return { ...(known ?? NEW), run: findTaskRun(place, keyOf(placed)) };
  };

  /** Dispatched by an engine that died when all was done but this: no task that is over is dispatched. */
  const strikeOut = (tree: TaskTree): void => {
    for (const { task_id } of intents.pending().tasks) {
      const status = findByKey(tree, task_id)?.task.status;
      if (status !== 'active' && status !== 'pending') intents.end({ kind: 'task', task_id });
    }
  };

  const pick = async (): Promise<Picked> => {
    for (;;) {
      const loaded = await store.load();
      const notices = noticesOf(loaded);
      if (loaded.problems.length > 0) return { kind: 'problems', problems: loaded.problems, notices };
      strikeOut(loaded.tree);
      const scope = scopeOf(loaded);
      const next = nextTask(scope);
      if (next.kind === 'none') {
        const tasks = [...walkTasks(scope)];
        const failed = tasks.filter(({ task }) => task.status === 'failed').length;
        const outside = scope.files.length === 0 ? 0 : openIn(loaded.tree) - openIn(scope);
        return { kind: 'none', failed, total: tasks.length, outside, notices };
      }
      const { placed } = next;
      if (next.kind === 'blocked') return { kind: 'problems', problems: [blocked(placed)], notices };
      if (next.kind === 'complete') {
        const path = [...scope.prefix, ...placed.path];
        const done = await store.update(({ tree }) => changeOf(setStatus(tree, path, 'done')));
        if (!done.ok) return { kind: 'problems', problems: done.problems, notices };
        continue;
      }
      const key = keyOf(placed);
      const { name } = placed.task;
      const dispatch = dispatchTask(placed.task, await workerNames(root));
      const record = recordOf(placed, loaded.meta.tasks[key]);
      const task = { key, id: idOf(placed.path), name, dispatch, record, most: mostFailures(placed.task) };
      return { kind: 'task', task, notices };
    }
  };

  const begin: TaskKeeper['begin'] = async (task, run) => {
    const { key, record } = task;
    const attempt = intents.begin({ kind: 'task', task_id: key });
    const failures = record.failures + attempt - 1;
    const givenUp = failures > task.most;
    const done = await store.update((loaded) => {
      const placed = findByKey(loaded.tree, key);
      if (placed === null) return [gone(task)];
      // A person has decided it meanwhile: what is finished is never done again.
      if (isClosed(placed.task)) return [closed(placed)];
      const change = givenUp ? setStatus(loaded.tree, placed.path, 'failed') : startWork(loaded.tree, placed.path);
      const kept = givenUp ? { ...record, counted: true, failures } : { ...record, run, counted: false };
      return change.ok ? { tree: change.tree, records: { [key]: kept } } : [change.problem];
    });
    if (!done.ok || givenUp) intents.end({ kind: 'task', task_id: key });
    if (!done.ok) return { kind: 'problems', problems: done.problems, notices: noticesOf(done.loaded) };
    return givenUp ? { kind: 'given_up', failures } : { kind: 'begun' };
  };

  const settle: TaskKeeper['settle'] = async (task, outcome) => {
    const { key, most } = task;
    let status: TaskStatus | null = null;
    let failures = 0;
    const mark = (
      tree: TaskTree,
      placed: PlacedTask,
      known: TaskRecord,
    ): { readonly to: TaskStatus; readonly record: TaskRecord | null } => {
      const was = placed.task.status;
      failures = known.failures + (outcome === 'failed' ? 1 : 0);
      // What a person has decided meanwhile stands.
      if (isClosed(placed.task)) return { to: was, record: null };
      if (outcome === 'completed') return { to: 'done', record: null };
      if (outcome === 'cancelled') return { to: 'pending', record: null };
      const open = closedAbove(tree, placed.path) === null ? 'active' : was;
      return { to: failures > most ? 'failed' : open, record: { ...known, counted: true, failures } };
    };
    const done =
      outcome === 'waits'
        ? null
        : await store.update((loaded): TaskUpdate | readonly TaskProblem[] => {
            const placed = findByKey(loaded.tree, key);
            if (placed === null) {
              status = null;
              return { records: { [key]: null } };
            }
            const { to, record } = mark(
              loaded.tree,
              placed,
              loaded.meta.tasks[key] ?? { ...task.record, counted: false },
            );
            status = to;
            const records = { [key]: record };
            if (to === placed.task.status) return { records };
            const change =
              to === 'active' ? startWork(loaded.tree, placed.path) : setStatus(loaded.tree, placed.path, to);
            return change.ok ? { tree: change.tree, records } : [change.problem];
          });
    intents.end({ kind: 'task', task_id: key });
    if (done === null) {
      const loaded = await store.load();
      const notices = noticesOf(loaded);
      return {
        ok: true,
        status: findByKey(loaded.tree, key)?.task.status ?? null,
        failures: task.record.failures,
        notices,
      };
    }
    const notices = noticesOf(done.loaded);
    return done.ok ? { ok: true, status, failures, notices } : { ok: false, problems: done.problems, notices };
  };

  return {
    list: async () => listTasks(await store.load()),
    edit: (edit) => editTasks(store, edit, { freeNameFor: (id) => freeSubFile(place, id), intents, recordOf }),
    accept: store.accept,
    restore: store.restore,
    pick,
    begin,
    isSafeToRetry: (run) => isSafeToRetry(place, run),
    settle,
  };
}

/** How many there are to be worked on. */
const openIn = (tree: Pick<TaskTree, 'path' | 'tasks'>): number =>
  Array.from(walkTasks(tree, (task) => !isClosed(task))).filter(
    ({ task }) => task.children.length === 0 && !isClosed(task),
  ).length;

const gone = ({ name }: PickedTask): TaskProblem => ({
  ...{ code: 'stale_id', message: `"${name}" is not there any more`, file: ROOT_FILE, line: null },
});

const closed = ({ file, task: { name, status, line } }: PlacedTask): TaskProblem => ({
  ...{ code: 'stale_id', file, line: line === 0 ? null : line },
  message: `"${name}" is ${status} by now, and is not begun`,
});

const changeOf = (change: ReturnType<typeof setStatus>): TaskUpdate | readonly TaskProblem[] =>
  change.ok ? { tree: change.tree } : [change.problem];

/** Reads only, whoever owns the engine. */
export const projectTasks = async (root: string): Promise<ListedTasks> =>
  listTasks(await loadTasks(taskPlace(path.join(root, '.flow'), fileCalls)));
