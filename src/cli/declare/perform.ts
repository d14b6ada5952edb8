/** Runs a command's module, which is only loaded now, and keeps its exit code. */
export type Perform = (work: () => Promise<number>) => Promise<void>;
