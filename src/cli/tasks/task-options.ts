/** Of every command about tasks. */
export interface TaskFlags {
  /** Refuses a tree that another hand has changed. */
  readonly strict?: true;
  readonly json?: true;
}
