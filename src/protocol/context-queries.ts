import type { JsonObject } from './json.ts';

/** One call of a tool of `roberto-mcp`, its arguments filled in (spec/context.md "Context slices"). */
export interface ContextQuery {
  readonly tool: string;
  readonly args: JsonObject;
}

export type ContextAnswer =
  /** `text` is compact, for people and models; tokens are what it costs, and what whole files would have cost besides. */
  | { readonly ok: true; readonly text: string; readonly tokens: number; readonly tokensSaved: number }
  /** `code` is stable: `no_active_server`, or the server's own. */
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Code analysis of a worktree as a port. Never rejects but for the signal. */
export interface ContextQueries {
  ask(worktree: string, query: ContextQuery, signal: AbortSignal): Promise<ContextAnswer>;
}
