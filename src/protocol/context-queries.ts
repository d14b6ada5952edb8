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
