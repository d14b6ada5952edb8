import type { RunId } from './id.ts';

/** `stop`: now, to be resumed. `pause`: after the current step. `cancel`: ends it (spec/engine.md "Control from outside"). */
export const CONTROL_VERBS = ['stop', 'pause', 'cancel'] as const;

export type ControlVerb = (typeof CONTROL_VERBS)[number];

/** What a client asks of the process that runs a run: `.flow/control/<id>.json`. */
export interface ControlRequest {
  readonly id: string;
  readonly run: RunId;
  readonly verb: ControlVerb;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Who asks, for people. */
  readonly by: string;
}

/** `.flow/control/<id>.done.json` */
export interface ControlAnswer {
  readonly accepted: boolean;
  readonly message: string;
}

/** A folder's changes as a port. */
export interface FolderWatch {
  /**
   * Calls soon, whenever a name in the folder may have changed, and every now and then; the folder need not be there.
   * Keeps no process alive. Returns what ends it.
   */
  watch(folder: string, onChange: () => void): () => void;
}
