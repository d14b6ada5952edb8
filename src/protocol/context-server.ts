import type { ContextAnswer, ContextQuery } from './context-queries.ts';
import type { JsonObject } from './json.ts';

/** The states of the analysis server of one worktree. */
export type ContextServerState = 'stopped' | 'starting' | 'indexing' | 'ready' | 'stopping' | 'restarting' | 'crashed';

/** The server's unmodified answer to one tool call. */
export type ToolAnswer =
  | { readonly ok: true; readonly text: string; readonly data: JsonObject }
  | Extract<ContextAnswer, { readonly ok: false }>;

/** A connection to a running server. */
export interface ContextServerConnection {
  /** Calls a tool. Rejects only with the signal's reason; a call that exceeds its deadline is `timed_out`. */
  call(query: ContextQuery, signal: AbortSignal): Promise<ToolAnswer>;
  /** Returns whether the server answers a ping in time. */
  isAlive(): Promise<boolean>;
}

/** The process of a server. It is killed when it is no longer used, whatever state it is in. */
export interface ContextServerProcess {
  /** Resolves once the server speaks the protocol. Rejects if it can't be started or doesn't answer in time. */
  readonly connected: Promise<ContextServerConnection>;
  /** Resolves when the process has ended, with the reason for people. */
  readonly exited: Promise<string>;
  /** Closes the input of the server, which then ends by itself. */
  end(): void;
  /** Kills the process and all its descendants. Does nothing once they are gone. */
  kill(): Promise<void>;
}
