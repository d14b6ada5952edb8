import type { TaskLine, TaskPlan } from '#protocol/task-plan.ts';

/** The output of `robosmith tasks --json`. */
export type PlanListing = TaskPlan & { readonly changed: readonly string[] };

/** A task of the plan with the tasks below it. */
export interface PlanItem {
  readonly task: TaskLine;
  readonly children: readonly PlanItem[];
}

/** Nests tasks that are listed in written order with their depth. */
export function nestTasks(tasks: readonly TaskLine[]): readonly PlanItem[] {
  const top: PlanItem[] = [];
  const open: { readonly depth: number; readonly children: PlanItem[] }[] = [];
  for (const task of tasks) {
    while ((open.at(-1)?.depth ?? -1) >= task.depth) open.pop();
    const children: PlanItem[] = [];
    (open.at(-1)?.children ?? top).push({ task, children });
    open.push({ depth: task.depth, children });
  }
  return top;
}

/** Returns the arguments that make a command refuse if the plan has changed since a task was listed. */
export const addressOf = ({ id, name }: TaskLine, { structure }: PlanListing): readonly string[] => [
  id,
  '--name',
  name,
  '--structure',
  structure,
];

/**
 * Returns the arguments of `robosmith tasks` that move a dropped task: before the task that it was dropped on, or to the
 * end of the plan. Null: it was dropped on itself.
 */
export function moveArguments(
  dragged: TaskLine,
  target: TaskLine | null,
  listing: PlanListing,
): readonly string[] | null {
  if (target?.id === dragged.id) return null;
  const place = target === null ? ['--last'] : ['--before', target.id];
  return ['move', ...addressOf(dragged, listing), ...place];
}
