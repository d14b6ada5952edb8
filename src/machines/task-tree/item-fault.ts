import type { TaskCode } from '#protocol/task-tree.ts';

/** A fault of an item. `message` is a part of a sentence and ends with what to do. */
export interface ItemFault {
  readonly code: TaskCode;
  readonly message: string;
}
