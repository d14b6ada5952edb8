import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';

/** Creates a session in state ready, in the folder `/w/<number>` on the branch `robosmith/<number>`. */
export const aSession = (number: number, more: Partial<Session> = {}): Session => ({
  id: `s${String(number).padStart(8, '0')}` as SessionId,
  title: `Session ${number}`,
  branch: `robosmith/${number}`,
  isAttached: false,
  base: { branch: 'main', commit: 'a'.repeat(40) },
  baseBranch: 'main',
  worktree: `/w/${number}`,
  isWorktreeKept: false,
  remarks: [],
  plan: [],
  changed: [],
  job: null,
  runs: [],
  state: 'ready',
  before: 'draft',
  isDone: false,
  resolving: null,
  unmerged: null,
  update: null,
  why: null,
  priority: null,
  submission: number,
  after: [],
  ports: null,
  createdAt: 0,
  updatedAt: 0,
  ...more,
});
