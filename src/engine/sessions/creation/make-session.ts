import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionOrder } from '#protocol/session-api.ts';
import { slugOf } from '#io/git/worktrees/worktree-place.ts';

export const LONGEST_TITLE = 200;

/**
 * Returns whether a text is a valid title: not empty, not too long, and on a single line, since lists show one title
 * per line.
 */
export const isTitle = (title: string): boolean =>
  title.trim() !== '' && title.length <= LONGEST_TITLE && !/\p{Cc}/u.test(title);

/** Returns a draft with its own branch. `baseBranch`: the branch that it starts from. */
export function makeSession(order: SessionOrder, id: SessionId, baseBranch: string, now: number): Session {
  const { title, job, plan, attach, priority, after } = order;
  const slug = slugOf(title);
  return {
    id,
    title,
    job,
    plan,
    priority,
    after,
    baseBranch,
    branch: attach ?? `robosmith/${slug === '' ? '' : `${slug}-`}${id.slice(1)}`,
    isAttached: attach !== null,
    base: null,
    worktree: null,
    isWorktreeKept: false,
    remarks: [],
    changed: [],
    runs: [],
    isDone: false,
    resolving: null,
    state: 'draft',
    before: 'draft',
    why: null,
    unmerged: null,
    update: null,
    submission: null,
    ports: null,
    createdAt: now,
    updatedAt: now,
  };
}
