export { refuseReference } from './read-tree.ts';
export type { StatusMeta } from './status-meta.ts';
export { freeSubFile } from './sub-file.ts';
export { ROOT_FILE, type TaskPlace } from './task-place.ts';
export {
  type Accepted,
  createTaskStore,
  loadTasks,
  type LoadedTasks,
  type TaskStore,
  type TaskUpdate,
  type Updated,
} from './task-store.ts';
