export { META_FILE } from './status-meta.ts';
export { freeSubFile } from './sub-file.ts';
export { ROOT_FILE, type TaskPlace } from './task-place.ts';
export {
  type Accepted,
  createTaskStore,
  loadTasks,
  type LoadedTasks,
  type TaskStore,
  type TaskUpdate,
} from './task-store.ts';
