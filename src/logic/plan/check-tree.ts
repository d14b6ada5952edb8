import type { TaskCode, TaskProblem, TaskTree } from '#protocol/task-tree.ts';
import { isFinished, type PlacedTask, walkTasks } from './walk-tasks.ts';

type Finding = readonly [code: TaskCode, message: string];

const quoted = (name: string): string => `"${name}"`;

/** Checks tasks that are siblings. */
function checkSiblings(siblings: readonly PlacedTask[], found: (placed: PlacedTask, finding: Finding) => void): void {
  const names = new Set<string>();
  let active: PlacedTask | null = null;
  for (const placed of siblings) {
    const { name, status } = placed.task;
    if (names.has(name))
      found(placed, ['tasks_duplicate_name', `another task here is named ${quoted(name)} too: rename one`]);
    names.add(name);
    if (status !== 'active') continue;
    if (active !== null)
      found(placed, [
        'tasks_two_active',
        `${quoted(active.task.name)} on the same level is active too: only one of them can be active`,
      ]);
    active ??= placed;
  }
}

function checkOne({ task }: PlacedTask): Finding | null {
  if (task.status === 'done') {
    const open = task.children.find((child) => !isFinished(child));
    if (open !== undefined)
      return [
        'tasks_unfinished_child',
        `it is done, but ${quoted(open.name)} below it is ${open.status}: finish that, or set this one to pending`,
      ];
  }
  if (task.status === 'active' && task.reference !== null && task.file === null)
    return ['tasks_missing_reference', `it is active, but there is no .flow/${task.reference}: put the file back`];
  return null;
}

/** Checks a whole tree, through its references. */
export function checkTree(tree: TaskTree): readonly TaskProblem[] {
  const problems: TaskProblem[] = [];
  const found = ({ file, task: { line } }: PlacedTask, [code, message]: Finding): void => {
    problems.push({ code, message, file, line: line === 0 ? null : line });
  };
  const families = new Map<PlacedTask | null, PlacedTask[]>();
  for (const placed of walkTasks(tree)) {
    const family = families.get(placed.parent);
    if (family === undefined) families.set(placed.parent, [placed]);
    else family.push(placed);
    const finding = checkOne(placed);
    if (finding !== null) found(placed, finding);
  }
  for (const siblings of families.values()) checkSiblings(siblings, found);
  return problems.sort((one, other) => (one.file === other.file ? (one.line ?? 0) - (other.line ?? 0) : 0));
}
