import type { LoadedTasks, TaskStore, TaskUpdate } from '#actors/plan/index.ts';
import { addTask, linkFile, moveTask, type NewTask, removeTask, setStatus } from '#logic/plan/change-tree.ts';
import { findTask, type FoundTask, keyOf, taskAt } from '#logic/plan/find-task.ts';
import { itemText } from '#logic/plan/render-status.ts';
import { splitItem } from '#logic/plan/split-item.ts';
import { idOf, type PlacedTask } from '#logic/plan/walk-tasks.ts';
import type { TaskChange, TaskPath, TaskProblem, TaskTree } from '#protocol/task-tree.ts';
import type { TaskEdit, TaskEditOutcome } from '#protocol/task-work.ts';
import { carryOver, type CarryOverParts } from './carry-over.ts';
import { noticesOf } from './list-tasks.ts';
import { type Scope, scopeOf } from './scope.ts';

interface PlannedEdit {
  readonly update: TaskUpdate;
  readonly about: TaskPath | null;
}

type Plan = PlannedEdit | TaskProblem;

const problem = (code: TaskProblem['code'], message: string, file: string): TaskProblem => ({
  code,
  message,
  file,
  line: null,
});

/** Returns why a name can't be stored, because it would be read back differently; null if it can. */
function whyNoName({ name, metadata }: NewTask): string | null {
  if (/[\n\r\t]/.test(name)) return 'a name has no line ends and no tabs';
  const item = splitItem(itemText({ name, reference: null, metadata }));
  if ('code' in item) return item.message;
  return item.name === name && item.reference === null && item.metadata.size === metadata.size
    ? null
    : 'it would not be read as a name: it has a reference, a comment, or spaces at its ends';
}

const inTree = (scope: Scope, { path }: PlacedTask): TaskPath => [...scope.prefix, ...path];

function planned(change: TaskChange, about: (tree: TaskTree) => TaskPath | null): Plan {
  return change.ok ? { update: { tree: change.tree }, about: about(change.tree) } : change.problem;
}

function planAdd(
  { name, node, under, before }: Extract<TaskEdit, { kind: 'add' }>,
  tree: TaskTree,
  scope: Scope,
): Plan {
  const task: NewTask = {
    name,
    metadata: new Map(
      node === undefined
        ? []
        : [
            ['type', 'flow'],
            ['node', node],
          ],
    ),
  };
  if (node !== undefined && !/^[\w.-]+$/.test(node))
    return problem('tasks_bad_metadata', `"${node}" is not a valid node name: use a node of the manifest`, scope.path);
  const why = whyNoName(task);
  if (why !== null) return problem('tasks_missing_name', `"${name}" is not a valid task name: ${why}`, scope.path);
  const asked = before ?? under;
  const found = asked === undefined ? null : findTask(scope, asked);
  if (found !== null && !found.ok) return found.problem;
  const at = found === null ? scope.prefix : inTree(scope, found.found);
  if (before !== undefined) return planned(addTask(tree, task, { before: at }), () => at);
  return planned(addTask(tree, task, { under: at }), (changed) => {
    const siblings = at.length === 0 ? changed.tasks : (taskAt(changed, at)?.task.children ?? []);
    return [...at, siblings.length - 1];
  });
}

function planMove(edit: Extract<TaskEdit, { kind: 'move' }>, tree: TaskTree, scope: Scope): Plan {
  const asked = 'before' in edit ? edit.before : edit.under;
  const target = asked === null ? null : findTask(scope, asked);
  if (target !== null && !target.ok) return target.problem;
  const at = target === null ? scope.prefix : inTree(scope, target.found);
  return withTask(findTask(scope, edit.task), (placed) => {
    const moved = moveTask(tree, inTree(scope, placed), 'before' in edit ? { before: at } : { under: at });
    return moved.ok ? { update: { tree: moved.tree }, about: moved.path } : moved.problem;
  });
}

function withTask(found: FoundTask, plan: (placed: PlacedTask) => Plan): Plan {
  return found.ok ? plan(found.found) : found.problem;
}

/** Clears the failures of a task whose status a person has set. */
const forget = (plan: Plan, key: string): Plan =>
  'update' in plan ? { ...plan, update: { ...plan.update, records: { [key]: null } } } : plan;

/** Returns the files that the tasks on the path to a task refer to, including the task's own. */
function filesTo(tree: TaskTree, path: TaskPath): readonly string[] {
  const files: string[] = [];
  for (let length = 1; length <= path.length; length += 1) {
    const file = taskAt(tree, path.slice(0, length))?.task.file?.path;
    if (file !== undefined) files.push(file);
  }
  return files;
}

function planZoomIn(placed: PlacedTask, tree: TaskTree, scope: Scope, freeName: string): Plan {
  const path = inTree(scope, placed);
  const { task } = placed;
  const linked = task.file === null ? linkFile(tree, path, task.reference ?? freeName) : tree;
  return { update: { tree: linked, scope: filesTo(linked, path) }, about: path };
}

function plan(edit: TaskEdit, loaded: LoadedTasks, freeName: string): Plan {
  const { tree } = loaded;
  const scope = scopeOf(loaded);
  switch (edit.kind) {
    case 'add':
      return planAdd(edit, tree, scope);
    case 'set':
      return withTask(findTask(scope, edit.task), (placed) => {
        const path = inTree(scope, placed);
        const done = planned(setStatus(tree, path, edit.status), () => path);
        return edit.status === 'active' ? done : forget(done, keyOf(placed));
      });
    case 'remove':
      return withTask(findTask(scope, edit.task), (placed) =>
        forget(
          planned(removeTask(tree, inTree(scope, placed)), () => null),
          keyOf(placed),
        ),
      );
    case 'move':
      return planMove(edit, tree, scope);
    case 'zoom_in':
      return withTask(findTask(scope, edit.task), (placed) => planZoomIn(placed, tree, scope, freeName));
    case 'zoom_out':
      return scope.files.length === 0
        ? problem('stale_id', 'the plan is zoomed out completely already', scope.path)
        : { update: { scope: scope.files.slice(0, -1) }, about: null };
  }
}

interface EditParts extends CarryOverParts {
  readonly freeNameFor: (id: string) => Promise<string>;
}

/** Applies an edit. For the owner of the engine. */
export async function editTasks(
  store: TaskStore,
  edit: TaskEdit,
  { freeNameFor, ...memory }: EditParts,
): Promise<TaskEditOutcome> {
  const freeName = edit.kind === 'zoom_in' && /^[\d.]+$/.test(edit.task.id) ? await freeNameFor(edit.task.id) : '';
  let about: TaskPath | null = null;
  let scope: readonly string[] = [];
  const carried = carryOver(memory);
  const done = await store.update((loaded) => {
    const made = plan(edit, loaded, freeName);
    if (!('update' in made)) return [made];
    about = made.about;
    scope = made.update.scope ?? scopeOf(loaded).files;
    const { tree } = made.update;
    if (edit.kind !== 'zoom_in' || tree === undefined) return made.update;
    return { ...made.update, records: carried.records(loaded, tree) };
  });
  carried.ended(done.ok);
  const notices = noticesOf(done.loaded);
  if (!done.ok) return { ok: false, problems: done.problems, notices };
  const placed = about === null ? null : taskAt(done.tree, about);
  const shown = scopeOf({ tree: done.tree, meta: { ...done.loaded.meta, scope } });
  const id =
    edit.kind === 'zoom_in' ? edit.task.id : placed === null ? '' : idOf(placed.path.slice(shown.prefix.length));
  const task = placed === null ? null : { id, name: placed.task.name, status: placed.task.status };
  return { ok: true, notices, task, scope: shown.files };
}
