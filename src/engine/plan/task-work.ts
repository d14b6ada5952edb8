import type { createTaskStore, TaskPlace } from '#actors/plan/index.ts';
import type { createIntentLock } from '#actors/engine-lock/index.ts';

/** The parts that all functions for tasks share. */
export interface TaskWorkParts {
  readonly root: string;
  readonly place: TaskPlace;
  readonly store: ReturnType<typeof createTaskStore>;
  readonly intents: ReturnType<typeof createIntentLock>;
}
