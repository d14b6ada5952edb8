import type { JsonObject } from './json.ts';

/** One tool call of `roberto-mcp`, with its arguments filled in. */
export interface ContextQuery {
  readonly tool: string;
  readonly args: JsonObject;
}

export type ContextAnswer =
  /**
   * `text` is compact, for people and models. `tokens` is its size, `tokensSaved` the additional tokens that whole
   * files would have needed.
   */
  | { readonly ok: true; readonly text: string; readonly tokens: number; readonly tokensSaved: number }
  /** `code` is stable: `no_active_server`, or a code of the server. */
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Code analysis of a worktree as a port. Rejects only with the signal's reason. */
export interface ContextQueries {
  ask(worktree: string, query: ContextQuery, signal: AbortSignal): Promise<ContextAnswer>;
}

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
