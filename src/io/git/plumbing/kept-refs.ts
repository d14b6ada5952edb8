/** Where the work of discarded sessions is kept, and the tips of branches that are deleted (spec/worktrees.md "Nothing is ever lost"). */
export const DISCARDED = 'refs/robosmith/discarded/';

/** What was in a worktree before a snapshot was restored there, or an update made or aborted; `<session or run>-…`. */
export const RESCUE = 'refs/robosmith/rescue/';

/** The files that a forked session begins with, until they are in its worktree. */
export const START = 'refs/robosmith/start/';
