import type { RunId } from './id.ts';
import type { JsonObject } from './json.ts';

/** `stop` interrupts now, resumable. `pause` stops after the current step. `cancel` ends the run. */
export const CONTROL_VERBS = ['stop', 'pause', 'cancel'] as const;

export type ControlVerb = (typeof CONTROL_VERBS)[number];

interface Requested {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The name of the requester, for messages. */
  readonly by: string;
}

/** The content of a client's request to the owner of the engine: control a run, or edit the work plan. */
export type ControlOrder =
  | { readonly verb: ControlVerb; readonly run: RunId }
  | {
      readonly verb: 'plan';
      readonly edit: JsonObject;
      /** The id of the requesting process. It must not belong to a step of a run. */
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

/** A port that watches folders for changes. */
export interface FolderWatch {
  /**
   * Calls `onChange` soon after a name in the folder may have changed, and periodically. The folder need not exist. The
   * watch does not keep the process alive. Returns a function that ends the watch.
   */
  watch(folder: string, onChange: () => void): () => void;
}
