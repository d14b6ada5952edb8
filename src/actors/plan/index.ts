export { META_FILE } from './status-meta.ts';
export { freeSubFile, ROOT_FILE, type TaskPlace } from './task-place.ts';
export { createTaskStore, loadTasks, type LoadedTasks, type TaskStore, type TaskUpdate } from './task-store.ts';
