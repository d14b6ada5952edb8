import { storedSessions } from '#engine/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import { harmless } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import { findSession } from '../sessions/find-session.ts';
import { openShell } from '../terminal/child-environment.ts';
import { usageError } from '../terminal/usage-error.ts';

/** Opens the user's shell in the worktree of a session. */
export const sessionsTerminal = (name: string, io: CliIo): Promise<number> =>
  inProject({}, io, async (root) => {
    const { id, title, worktree, branch } = findSession(name, storedSessions(root));
    if (worktree === null) throw usageError(`${title} (${id}) has no worktree.`, [`robosmith sessions show ${id}`]);
    if (!io.interactive) {
      io.stdout.write(`${worktree}\n`);
      return 0;
    }
    io.stderr.write(harmless(`${branch} in ${shownPath(worktree, io)}; type exit to return.\n`));
    return openShell(worktree, io);
  });
