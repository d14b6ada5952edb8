import type { ContextQueries } from '#protocol/context-queries.ts';

/** Code analysis where no server of it runs (spec/context.md "Life cycle"). */
export const NO_CONTEXT_SERVER: ContextQueries = {
  ask: () =>
    Promise.resolve({
      ok: false,
      code: 'no_active_server',
      message: 'no code analysis server is running for this worktree',
    }),
};
