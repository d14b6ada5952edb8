import type { SessionState } from '#protocol/session.ts';

/** Where a person's word, or its time, moves a run that waits. */
export const RUN_MAY_GO_ON: ReadonlySet<SessionState> = new Set(['running', 'halted', 'ready', 'failed']);
