import type { SessionId } from '#protocol/id.ts';

/** What to type where an update has left conflicts in a session's worktree. */
export const resolvingSteps = (id: SessionId): readonly string[] => [
  `robosmith sessions terminal ${id}`,
  `robosmith sessions update ${id}`,
  `robosmith sessions update ${id} --abort`,
];
