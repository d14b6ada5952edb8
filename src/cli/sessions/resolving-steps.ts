import type { SessionId } from '#protocol/id.ts';

/** Returns the commands to use after an update with conflicts. */
export const resolvingSteps = (id: SessionId): readonly string[] => [
  `robosmith sessions terminal ${id}`,
  `robosmith sessions update ${id}`,
  `robosmith sessions update ${id} --abort`,
];
