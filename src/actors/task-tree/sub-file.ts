import { statIfThere } from '#io/files/durable-file.ts';
import type { TaskPlace } from './task-place.ts';

/** A name for a task's own file that nobody has: `sub_flows/task_1.2.md`, or with `_2`, `_3` … behind the id. */
export async function freeSubFile({ calls, locate }: TaskPlace, id: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const file = `sub_flows/task_${id}${number === 1 ? '' : `_${number}`}.md`;
    if (statIfThere(calls, await locate(file)) === null) return file;
  }
}
