import type { TaskCode } from '#protocol/task-tree.ts';

/** A fault of an item, as part of a sentence that ends with what to do. */
export interface ItemFault {
  readonly code: TaskCode;
  readonly message: string;
}
