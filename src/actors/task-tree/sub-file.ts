import { statIfThere } from '#io/files/durable-file.ts';
import type { TaskPlace } from './task-place.ts';

/** Returns an unused name for a task's own file: `sub_flows/task_1.2.md`, or with `_2`, `_3` … appended. */
export async function freeSubFile({ calls, locate }: TaskPlace, id: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const file = `sub_flows/task_${id}${number === 1 ? '' : `_${number}`}.md`;
    if (statIfThere(calls, await locate(file)) === null) return file;
  }
}
