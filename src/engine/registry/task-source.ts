/** Where the flow of a task that names a worker, or a person, says that it comes from. */
export const TASK_SOURCE = '.flow/status.md';
