import { realPath } from '#io/files/real-path.ts';
import { isTrusted, rememberTrust } from '#io/user/trust-store.ts';
import { messageOf } from '#protocol/message-of.ts';
import { trustHash } from './executable.ts';

/** Records that runs may work in a worktree that the engine created outside of the project, so that nobody is asked. */
export async function rememberWorktree(
  worktree: string,
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  warn: (message: string) => void,
): Promise<void> {
  const place = await realPath(root);
  const hash = trustHash(place, [{ what: 'directory', command: await realPath(worktree) }]);
  try {
    if (!(await isTrusted(hash, environment))) await rememberTrust(hash, place, environment);
  } catch (thrown) {
    warn(`the permission for runs to work in ${worktree} could not be saved: ${messageOf(thrown)}`);
  }
}
