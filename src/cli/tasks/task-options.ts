/** Options of every task command. */
export interface TaskFlags {
  /** Refuses a tree that another program has changed. */
  readonly strict?: true;
  readonly json?: true;
}
