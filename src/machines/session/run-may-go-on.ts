import type { SessionState } from '#protocol/session.ts';

/** States in which an answer, or a due time, continues a waiting run. */
export const RUN_MAY_GO_ON: ReadonlySet<SessionState> = new Set(['running', 'halted', 'ready', 'failed']);
