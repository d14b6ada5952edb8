import type { SystemMetadata } from '#protocol/worker.ts';
import { MARK_FORMAT, marksOf, stepMark } from './commit-message.ts';
import type { Git } from './run-git.ts';

/** Maximum number of commits to inspect. A step makes at most one commit per attempt. */
const MOST = '100';

/**
 * Returns the newest commit of a step, or null if there is none. With `attempt`, only a commit of that attempt counts.
 */
export async function findCommit(
  git: Git,
  { step }: Pick<SystemMetadata, 'step'>,
  attempt: number | null,
): Promise<string | null> {
  const format = `--format=%H ${MARK_FORMAT}`;
  const args = ['log', '--fixed-strings', `--grep=${marksOf(step)}`, `--max-count=${MOST}`, format, 'HEAD'];
  const { ok, text } = await git({ args, isRead: true });
  if (!ok) return null;
  for (const line of text.split('\n')) {
    const [sha = '', marks = ''] = line.split(' ');
    const isOurs = (mark: string): boolean =>
      attempt === null ? mark.startsWith(stepMark(step, 0).slice(0, -1)) : mark === stepMark(step, attempt);
    if (marks.split(',').some(isOurs)) return sha;
  }
  return null;
}
