import type { TaskCode } from '#protocol/task-tree.ts';

/** A fault of an item. `message` is part of a sentence and ends with the action that corrects the fault. */
export interface ItemFault {
  readonly code: TaskCode;
  readonly message: string;
}
