/** Prefix of the refs that keep the work of discarded sessions and the tips of deleted branches. */
export const DISCARDED = 'refs/robosmith/discarded/';

/**
 * Prefix of the refs that keep the former content of a worktree when a snapshot is restored there, or an update is made
 * or aborted. The name continues with `<session or run>-…`.
 */
export const RESCUE = 'refs/robosmith/rescue/';

/**
 * Prefix of the refs that keep commits which were on no branch when the worktree that had them was removed. The name
 * continues with `<session>-…`, or with git's name of the worktree.
 */
export const HEADS = 'refs/robosmith/heads/';

/**
 * Prefix of refs that are created before a base is moved, and point to the commit that it will be moved to. After a
 * crash they show whether the move happened.
 */
export const MERGING = 'refs/robosmith/merging/';

/** Prefix of the refs that keep the initial files of a forked session until they are in its worktree. */
export const START = 'refs/robosmith/start/';
