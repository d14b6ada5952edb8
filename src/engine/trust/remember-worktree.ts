import { realPath } from '#io/files/real-path.ts';
import { isTrusted, rememberTrust } from '#io/user/trust-store.ts';
import { messageOf } from '#protocol/message-of.ts';
import { trustHash } from './executable.ts';

/** A worktree that the engine has made for a session lies outside of the project, and its runs may go on there unasked. */
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
    warn(`that runs may work in ${worktree} is not remembered: ${messageOf(thrown)}`);
  }
}
