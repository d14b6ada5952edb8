import type { ContextQueries } from '#protocol/context-queries.ts';

/** The code analysis for runs without an engine that could start a server. Every query fails. */
export const NO_CONTEXT_SERVER: ContextQueries = {
  ask: () =>
    Promise.resolve({
      ok: false,
      code: 'no_active_server',
      message: 'no code analysis server runs for this worktree: this run has no engine that could start one',
    }),
};
