import { fileAtBase, fileOnBranch, storedSessions, symbolLineOf } from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Methods } from './methods.ts';
import { paramsOf, textOf } from './read-params.ts';

/** Returns the method that sends both sides of a file's diff, for an editor. */
export const sessionFileMethod = (root: string): Methods<'session.file'> => ({
  'session.file': async (params) => {
    const given = paramsOf(params);
    const [id, path] = [textOf(given, 'session', 64), textOf(given, 'path', 4_096)];
    const session = storedSessions(root).find((one) => one.id === id);
    if (session === undefined)
      throw new RoboSmithError('usage', `There is no session "${id}".`, { next: ['robosmith sessions'] });
    const [before, committed, symbolLine] = await Promise.all([
      fileAtBase(session, root, path),
      fileOnBranch(session, root, path),
      symbolLineOf(session, root, path),
    ]);
    return { before, committed, worktree: session.worktree, symbolLine };
  },
});
