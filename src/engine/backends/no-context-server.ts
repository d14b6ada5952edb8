import type { ContextQueries } from '#protocol/context-queries.ts';

/** Context queries for worktrees without a code analysis server: each one fails. */
export const NO_CONTEXT_SERVER: ContextQueries = {
  ask: () =>
    Promise.resolve({
      ok: false,
      code: 'no_active_server',
      message: 'no code analysis server is running for this worktree',
    }),
};
