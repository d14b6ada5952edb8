/** Options of every task command. */
export interface TaskFlags {
  /** Refuses to edit a task tree that another program has changed since RoboSmith last wrote it. */
  readonly strict?: true;
  readonly json?: true;
}
