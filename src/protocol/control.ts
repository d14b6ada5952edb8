/** `stop` interrupts now, resumable. `pause` stops after the current step. `cancel` ends the run. */
export type ControlVerb = 'stop' | 'pause' | 'cancel';

/** The answer to a request to stop, pause or cancel a run. */
export interface ControlAnswer {
  readonly accepted: boolean;
  readonly message: string;
}

/** A port that watches folders for changes. */
export interface FolderWatch {
  /**
   * Calls `onChange` soon after a name in the folder may have changed, and periodically. The folder need not exist. The
   * watch does not keep the process alive. Returns a function that ends the watch.
   */
  watch(folder: string, onChange: () => void): () => void;
}
