/** The check for clashes of any worktrees, branches and pull requests of a repository. */
export { type CheckRequest, type ClashCheck, openClashCheck } from './check.ts';
export { provePairs } from './prove-pairs.ts';
export { pullRequestSides } from './pull-requests.ts';
export { watchWork } from '#io/git/readonly/watch-work.ts';
export { reportOf } from './report.ts';
export { type Checked, hasLookedAt, linesOf, NOTHING_FOUND, reportsMore } from './prove/findings.ts';
