import type { TaskStore } from '#actors/task-tree/index.ts';
import { findTask } from '#machines/task-tree/find-task.ts';
import type { ControlAnswer } from '#protocol/control.ts';
import { isObject, type JsonObject } from '#protocol/json.ts';
import type { TaskAddress } from '#protocol/task-tree.ts';
import type { TaskEditOutcome, TaskEdit } from './edit-tasks.ts';
import { scopeOf } from './scope.ts';

/** Edits of the work plan that were requested while a task is in progress. They are applied when the task ends. */
interface QueuedEdits {
  /** Checks an edit against the current plan and queues it. */
  add(edit: TaskEdit): Promise<TaskEditOutcome>;
  /** Applies the queued edits in order. Reports those that no longer fit the plan. */
  make(): Promise<void>;
  /** Drops the queued edits and reports them. */
  drop(): void;
}

interface QueueParts {
  readonly store: TaskStore;
  /** Applies an edit to a store. */
  readonly apply: (store: TaskStore, edit: TaskEdit) => Promise<TaskEditOutcome>;
  readonly warn: (message: string) => void;
}

/** Returns a store that computes updates and saves none. */
const unsaved = (store: TaskStore): TaskStore => ({
  ...store,
  update: async (change) => {
    const loaded = await store.load();
    const asked = loaded.problems.length > 0 ? loaded.problems : change(loaded);
    return 'length' in asked
      ? { ok: false, problems: asked, loaded }
      : { ok: true, tree: asked.tree ?? loaded.tree, loaded };
  },
});

/** Adds the name of the task to its address: by the time of the edit, the id may belong to another task. */
async function withName(store: TaskStore, address: TaskAddress): Promise<TaskAddress> {
  const found = findTask(scopeOf(await store.load()), address);
  const { id } = address;
  return found.ok ? { id, anchor: found.found.task.name } : address;
}

async function named(store: TaskStore, edit: TaskEdit): Promise<TaskEdit> {
  if (edit.kind === 'zoom_out') return edit;
  if (edit.kind === 'move') {
    const task = await withName(store, edit.task);
    if ('before' in edit) return { ...edit, task, before: await withName(store, edit.before) };
    return { ...edit, task, under: edit.under === null ? null : await withName(store, edit.under) };
  }
  if (edit.kind !== 'add') return { ...edit, task: await withName(store, edit.task) };
  const { under, before } = edit;
  return {
    ...edit,
    ...(under === undefined ? {} : { under: await withName(store, under) }),
    ...(before === undefined ? {} : { before: await withName(store, before) }),
  };
}

const describe = (edit: TaskEdit): string =>
  edit.kind === 'add' ? `add "${edit.name}"` : edit.kind === 'zoom_out' ? 'zoom out' : `${edit.kind} ${edit.task.id}`;

export function createQueuedEdits({ store, apply, warn }: QueueParts): QueuedEdits {
  let queue: readonly TaskEdit[] = [];
  return {
    add: async (edit) => {
      const checked = await apply(unsaved(store), edit);
      if (checked.ok) queue = [...queue, await named(store, edit)];
      return checked;
    },
    make: async () => {
      const edits = queue;
      queue = [];
      for (const edit of edits) {
        const made = await apply(store, edit);
        if (!made.ok)
          warn(`The plan was not edited (${describe(edit)}): ${made.problems[0]?.message ?? 'unknown reason'}.`);
      }
    },
    drop: () => {
      for (const edit of queue) warn(`The plan was not edited (${describe(edit)}), because a task has changed it.`);
      queue = [];
    },
  };
}

const isAddress = (value: unknown): boolean => isObject(value) && typeof value['id'] === 'string';

const isAddressIfAny = (value: unknown): boolean => value === undefined || isAddress(value);

/** Returns whether a request says where a task is moved to. */
const isPlace = ({ before, under }: JsonObject): boolean => isAddress(before) || under === null || isAddress(under);

/** Returns the edit that a request contains, or null if it contains none. */
export function readEdit(value: JsonObject): TaskEdit | null {
  const { kind, name, task, under, before } = value;
  const isOfTask = kind === 'set' || kind === 'remove' || kind === 'zoom_in' || (kind === 'move' && isPlace(value));
  const isKnown =
    kind === 'add'
      ? typeof name === 'string' && isAddressIfAny(under) && isAddressIfAny(before)
      : kind === 'zoom_out' || (isOfTask && isAddress(task));
  return isKnown ? (value as unknown as TaskEdit) : null;
}

/** Returns the answer to a request to edit the plan. `queued`: the edit is applied when the current task ends. */
export function answerOf(edited: TaskEditOutcome, queued: boolean): ControlAnswer {
  const result: unknown = JSON.parse(JSON.stringify({ edited, queued }));
  return { accepted: true, message: '', ...(isObject(result) ? { result } : {}) };
}
