import type { RunId } from './id.ts';
import type { JsonObject } from './json.ts';

/** `stop` interrupts now, resumable. `pause` stops after the current step. `cancel` ends the run. */
export const CONTROL_VERBS = ['stop', 'pause', 'cancel'] as const;

export type ControlVerb = (typeof CONTROL_VERBS)[number];

interface Requested {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The requester, for messages. */
  readonly by: string;
}

/** What a client asks the owner of the engine for: to control a run, or to edit the work plan. */
export type ControlOrder =
  | { readonly verb: ControlVerb; readonly run: RunId }
  | {
      readonly verb: 'plan';
      readonly edit: JsonObject;
      /** The process that asks; it must not belong to a step of a run. */
      readonly pid: number;
    };

/** A request to the owner of the engine: `.flow/control/<id>.json`. */
export type ControlRequest = Requested & ControlOrder;

/** The answer to a request: `.flow/control/<id>.done.json`. */
export interface ControlAnswer {
  readonly accepted: boolean;
  readonly message: string;
  /** The result of an edit of the work plan. */
  readonly result?: JsonObject;
}

/** Changes of a folder, as a port. */
export interface FolderWatch {
  /**
   * Calls `onChange` soon after a name in the folder may have changed, and periodically. The folder need not exist.
   * Keeps no process alive. Returns a function that ends the watch.
   */
  watch(folder: string, onChange: () => void): () => void;
}
