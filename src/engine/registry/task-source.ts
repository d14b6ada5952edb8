/** The source path of flows that are generated for tasks. */
export const TASK_SOURCE = '.flow/status.md';
