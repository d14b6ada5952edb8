/** Where the work of discarded sessions is kept, and the tips of branches that are deleted (spec/worktrees.md "Nothing is ever lost"). */
export const DISCARDED = 'refs/robosmith/discarded/';
