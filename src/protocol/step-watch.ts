/** Snapshots of a session's worktree, step by step. Never rejects: problems are reported to the user. */
export interface StepSnapshots {
  /** Takes a snapshot and returns its name, or null if none could be taken. */
  take(): Promise<string | null>;
  /** Restores the files of a snapshot; the current ones are saved first. */
  restore(snapshot: string): Promise<void>;
}

/** A change of the main checkout. */
export interface MainChange {
  readonly what: readonly ('head' | 'index' | 'status')[];
  /** The first changed paths, from the top of the repository. */
  readonly paths: readonly string[];
  /** A line for each change. */
  readonly text: string;
}

/** A change as it is reported to a run. */
export interface FoundChange extends MainChange {
  /** The diff and instructions to undo it, for the user; null if the change does not halt the run. */
  readonly guide: string | null;
}

/** Watches the main checkout, which no session may change. Never rejects. */
export interface MainGuard {
  /**
   * Starts a watch and returns a function that reports the changes since then; null if there are none, or only changes
   * by the engine itself.
   */
  watch(): Promise<(onChange: 'warn' | 'halt') => Promise<FoundChange | null>>;
}

/** The main checkout changed during the step, either by the session or by somebody who works there. */
export type MainFact = { readonly type: 'main.changed' } & MainChange;
