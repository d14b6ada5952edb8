import type { RunId } from './id.ts';

/** `stop` interrupts now, resumable. `pause` stops after the current step. `cancel` ends the run. */
export const CONTROL_VERBS = ['stop', 'pause', 'cancel'] as const;

export type ControlVerb = (typeof CONTROL_VERBS)[number];

/** A request to the process that executes a run: `.flow/control/<id>.json`. */
export interface ControlRequest {
  readonly id: string;
  readonly run: RunId;
  readonly verb: ControlVerb;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The requester, for messages. */
  readonly by: string;
}

/** The answer to a request: `.flow/control/<id>.done.json`. */
export interface ControlAnswer {
  readonly accepted: boolean;
  readonly message: string;
}

/** Changes of a folder, as a port. */
export interface FolderWatch {
  /**
   * Calls `onChange` soon after a name in the folder may have changed, and periodically. The folder need not exist.
   * Keeps no process alive. Returns a function that ends the watch.
   */
  watch(folder: string, onChange: () => void): () => void;
}
