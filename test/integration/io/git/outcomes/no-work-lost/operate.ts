import { existsSync, readdirSync } from 'node:fs';
import { discardSession } from '#io/git/outcomes/discard-session.ts';
import { holdSession } from '#io/git/outcomes/hold-session.ts';
import { mergeSession } from '#io/git/outcomes/merge-session.ts';
import { restoreSession } from '#io/git/outcomes/restore-session.ts';
import { removeScratches } from '#io/git/outcomes/temporary-worktree.ts';
import { abortUpdate, updateFromBase } from '#io/git/outcomes/update-from-base.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { restoreSnapshot } from '#io/git/plumbing/restore-snapshot.ts';
import { takeSnapshot } from '#io/git/plumbing/snapshot.ts';
import { processes } from '#io/process/process.ts';
import { removeWorktree } from '#io/git/worktrees/remove-worktree.ts';
import type { Command } from './commands.ts';
import { quickGit, type World } from './world.ts';

type Operation = Extract<Command, { killAt: number | null }>;

/** Ignored files that must be kept. */
const KEPT = ['**/ignored', '**/new?'];

/** Removes the worktree if its work is merged, as after an accepted merge. */
async function remove({ main, work }: World, git: Git): Promise<string> {
  const removal = { repository: main, worktree: work, branch: 'work', base: 'main', ignored: KEPT, now: 0 };
  const removed = await removeWorktree(git, processes, {
    ...removal,
    session: null,
    deletesBranch: true,
    force: false,
  });
  return removed.kind === 'removed' ? 'removed' : removed.why;
}

/** A counter for names that no earlier operation has used. */
let names = 0;

async function lastRef(world: World, under: string): Promise<string | null> {
  const refs = await world.git(world.main, 'for-each-ref', '--sort=-creatordate', '--format=%(refname)', under);
  return refs.split('\n')[0] || null;
}

/** Runs one operation and returns its result, or null if there was nothing to do. */
export async function operate(world: World, git: Git, { kind }: Operation): Promise<string | null> {
  const { main, work, scratch } = world;
  const session = { repository: main, session: 's1', branch: 'work', worktree: work };
  names += 1;
  if (kind === 'revive') {
    const ref = await lastRef(world, 'refs/robosmith/discarded/');
    if (existsSync(work)) return null;
    if (ref === null) {
      await world.git(main, 'worktree', 'add', '-q', work, ...(await world.branch()));
      return 'begun anew';
    }
    return (await restoreSession(git, { repository: main, ref, branch: 'work', worktree: work })).kind;
  }
  if (!existsSync(work)) return null;
  switch (kind) {
    case 'snapshot': {
      const last = await lastRef(world, 'refs/robosmith/steps/');
      return (await takeSnapshot(git, work, `refs/robosmith/steps/r/${names}`, 'step', { last })).kind;
    }
    case 'restore': {
      const ref = await lastRef(world, 'refs/robosmith/steps/');
      if (ref === null) return null;
      return (await restoreSnapshot(git, work, ref, `refs/robosmith/rescue/r/${names}`)).kind;
    }
    case 'squash':
    case 'merge':
    case 'rebase':
    case 'accept': {
      const strategy = kind === 'accept' ? 'squash' : kind;
      const how = { base: 'main', strategy, message: 'Session', scratchFolder: scratch } as const;
      const merged = await mergeSession(git, { ...session, ...how });
      await removeScratches(quickGit, main, scratch);
      if (merged.kind === 'refused' && merged.why !== 'nothing_to_merge') return merged.why;
      return kind === 'accept' ? remove(world, git) : merged.kind === 'refused' ? merged.why : merged.kind;
    }
    case 'update':
      return (await updateFromBase(git, { ...session, base: 'main', snapshotRef: `refs/robosmith/rescue/u/${names}` }))
        .kind;
    case 'abort':
      return (await abortUpdate(git, work, `refs/robosmith/rescue/a/${names}`)).kind;
    case 'hold':
      return (await holdSession(git, { ...session, state: `{"n":${names}}`, message: 'Hold' })).kind;
    case 'remove':
      return remove(world, git);
    case 'discard':
      return (await discardSession(git, { ...session, ignored: KEPT })).kind;
  }
}

export const leftInScratch = ({ scratch }: World): readonly string[] =>
  existsSync(scratch) ? readdirSync(scratch) : [];
