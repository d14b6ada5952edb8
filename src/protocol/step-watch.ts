/** Keeps the files of a session's worktree, step by step (spec/engine.md "Worktree snapshots"). Never rejects: what can't be done is told to people. */
export interface StepSnapshots {
  /** A name for the files as they are; null: they can't be kept. */
  take(): Promise<string | null>;
  /** Makes them as they were then; what is there is saved first. */
  restore(snapshot: string): Promise<void>;
}

/** What of the main checkout is not as it was. */
export interface MainChange {
  readonly what: readonly ('head' | 'index' | 'status')[];
  /** From the top of the repository; the first of them. */
  readonly paths: readonly string[];
  /** A line for each change, for people. */
  readonly text: string;
}

/** Watches the main checkout, which no session may change (spec/worktrees.md "Guard"). Never rejects. */
export interface MainGuard {
  /** From now until it is asked for what has changed; null: nothing, or only what the engine did itself. */
  watch(): Promise<(onChange: 'warn' | 'halt') => Promise<MainChange | null>>;
}

/** The main checkout is not as it was before the step: the session's doing, or of whoever worked there meanwhile. */
export type MainFact = { readonly type: 'main.changed' } & MainChange;
