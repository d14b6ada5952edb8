import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { isOurLock, type ListedWorktree, type WorktreeFolder } from '#protocol/worktree.ts';

/** Stored sessions, and what git and the file system say: the truth is theirs. */
export interface Survey {
  readonly sessions: readonly Session[];
  /** `git worktree list`, the main one first. */
  readonly listed: readonly ListedWorktree[];
  /** The folders in the place of the worktrees, and those of the sessions that lie elsewhere. */
  readonly folders: readonly WorktreeFolder[];
  /** Local branches, without `refs/heads/`. */
  readonly branches: ReadonlySet<string>;
}

/** What is to be said of a session or a folder. None of them removes anything by itself. */
export type Finding = { readonly message: string } & (
  | { readonly kind: 'ok' | 'half_made'; readonly session: SessionId; readonly path: string }
  /** A folder without a session: reported, offered for clean-up. `session`: of one that has ended. */
  | {
      readonly kind: 'zombie';
      readonly path: string;
      readonly isRegistered: boolean;
      readonly of: WorktreeFolder['of'];
      readonly branch: string | null;
      readonly isHalfMade: boolean;
      readonly session: SessionId | null;
    }
  /** A session without its folder. `heal`: nothing is left of it, forget it; `recreate`: its branch is there. */
  | {
      readonly kind: 'ghost';
      readonly session: SessionId;
      readonly next: 'heal' | 'recreate';
      readonly isRegistered: boolean;
    }
  /** The same branch at another path. */
  | {
      readonly kind: 'moved';
      readonly session: SessionId;
      readonly from: string;
      readonly to: string;
      /** It was moved without git: `git worktree repair` tells git of it. */
      readonly needsRepair: boolean;
    }
  | { readonly kind: 'switched'; readonly session: SessionId; readonly path: string; readonly found: string }
  | { readonly kind: 'detached'; readonly session: SessionId; readonly path: string; readonly head: string | null }
  | { readonly kind: 'locked'; readonly session: SessionId; readonly path: string; readonly reason: string }
  /** Its folder is there, and git does not know it. */
  | { readonly kind: 'unregistered'; readonly session: SessionId; readonly path: string }
  /** Of nobody here, and its folder is gone: git can forget it. */
  | { readonly kind: 'prunable'; readonly path: string; readonly branch: string | null; readonly reason: string }
);

const ENDED: ReadonlySet<Session['state']> = new Set(['merged', 'discarded']);
/** Nothing has been made for these. */
const UNMADE: ReadonlySet<Session['state']> = new Set(['draft', 'queued']);

function lost(session: Session, { branches }: Survey, entry: ListedWorktree | undefined): Finding {
  const { id, branch, worktree } = session;
  const isRegistered = entry !== undefined;
  if (branches.has(branch))
    return {
      ...{ kind: 'ghost', session: id, next: 'recreate', isRegistered },
      message: `${worktree ?? 'its folder'} is gone, its branch "${branch}" is there: the worktree can be made again`,
    };
  return {
    ...{ kind: 'ghost', session: id, next: 'heal', isRegistered },
    message: `${worktree ?? 'its folder'} and its branch "${branch}" are gone: nothing is left of it but its history`,
  };
}

function standing(session: Session, entry: ListedWorktree, folder: WorktreeFolder): Finding {
  const { id, branch } = session;
  const { path, head } = entry;
  const found = { session: id, path };
  if (folder.isHalfMade)
    return { kind: 'half_made', ...found, message: `${path} was not finished: it can be removed and made again` };
  if (entry.locked !== null && !isOurLock(entry.locked))
    return {
      kind: 'locked',
      ...found,
      reason: entry.locked,
      message: `${path} is locked by somebody: "${entry.locked}"`,
    };
  if (entry.branch === null)
    return {
      kind: 'detached',
      ...found,
      head,
      message: `HEAD of ${path} is detached: "${branch}" should be checked out`,
    };
  if (entry.branch !== branch)
    return {
      ...{ kind: 'switched', ...found, found: entry.branch },
      message: `"${entry.branch}" is checked out in ${path}, not "${branch}": somebody switched it`,
    };
  return { kind: 'ok', ...found, message: '' };
}

/** Where a session's branch is checked out now, in a folder that is not its own. */
function movedTo(
  { worktree, branch }: Session,
  { folders, listed }: Survey,
): { readonly to: string; readonly needsRepair: boolean } | null {
  const entry = listed.find((one) => one.branch === branch && !one.isMain && one.isThere && one.path !== worktree);
  if (entry !== undefined) return { to: entry.path, needsRepair: false };
  const folder = folders.find(
    (one) => one.branch === branch && one.of === 'this' && !one.isRegistered && one.path !== worktree,
  );
  return folder === undefined ? null : { to: folder.path, needsRepair: true };
}

function withoutFolder(session: Session, survey: Survey, entry: ListedWorktree | undefined): Finding | null {
  const { id, worktree, branch, state } = session;
  const moved = movedTo(session, survey);
  if (moved !== null)
    return {
      ...{ kind: 'moved', session: id, from: worktree ?? '', ...moved },
      message: `"${branch}" is in ${moved.to} now, not in ${worktree ?? ''}: somebody moved it`,
    };
  // One that failed has cleaned up behind itself.
  const isGone = state === 'failed' && entry === undefined && !survey.branches.has(branch);
  return isGone ? null : lost(session, survey, entry);
}

/** Has it a folder of its own that should be there? */
const isLive = ({ worktree, state }: Session): boolean => worktree !== null && !ENDED.has(state) && !UNMADE.has(state);

/** Null: there is nothing to be said of it. */
function ofSession(session: Session, survey: Survey): Finding | null {
  const { id, worktree } = session;
  if (worktree === null || !isLive(session)) return null;
  const entry = survey.listed.find(({ path }) => path === worktree);
  const folder = survey.folders.find(({ path }) => path === worktree);
  if (folder === undefined) return withoutFolder(session, survey, entry);
  if (entry !== undefined && folder.of === 'this') return standing(session, entry, folder);
  return {
    ...{ kind: 'unregistered', session: id, path: worktree },
    message: `Git takes ${worktree} for no worktree (any more): \`git worktree repair\` may help; look at what is in it first`,
  };
}

const WHOSE: Readonly<Record<WorktreeFolder['of'], string>> = {
  this: 'is a worktree that no session has',
  other: 'is a worktree of another repository',
  none: 'is no worktree, and no session has it',
};

function zombie(folder: WorktreeFolder, { sessions }: Survey): Finding {
  const { path, of, isHalfMade, isRegistered } = folder;
  const ended = sessions.find(({ worktree }) => worktree === path);
  const whose = ended === undefined ? WHOSE[of] : `is left of the session "${ended.title}", which is ${ended.state}`;
  return {
    ...{ kind: 'zombie', path, of, isHalfMade, isRegistered },
    ...{ branch: folder.branch, session: ended?.id ?? null },
    message: `${path} ${whose}: \`robosmith worktrees clean\` offers to remove it`,
  };
}

const placeOf = (finding: Finding): readonly string[] =>
  finding.kind === 'moved' ? [finding.to] : 'path' in finding ? [finding.path] : [];

/** Sessions compared with what is really there (spec/worktrees.md "Reconciliation at start"). The same survey gives the same findings. */
export function reconcile(survey: Survey): readonly Finding[] {
  const ofSessions = survey.sessions.flatMap((session) => ofSession(session, survey) ?? []);
  const taken = new Set(ofSessions.flatMap(placeOf));
  const live = new Set(survey.sessions.filter(isLive).map(({ worktree }) => worktree));
  const mains = new Set(survey.listed.filter(({ isMain }) => isMain).map(({ path }) => path));
  const there = new Set(survey.folders.map(({ path }) => path));
  const folders = survey.folders.filter(({ path }) => !taken.has(path) && !mains.has(path));
  const gone = survey.listed.flatMap(({ path, branch, isMain, isThere, locked, prunable }): readonly Finding[] => {
    // What somebody has locked may be on a disk that is away.
    const isAway = locked !== null && !isOurLock(locked);
    if ((isThere && prunable === null) || isMain || isAway || live.has(path) || there.has(path)) return [];
    const reason = prunable ?? 'its folder is gone';
    const message = `Git still knows ${path}, which is gone: \`robosmith worktrees clean\` offers to make it forget it`;
    return [{ kind: 'prunable', path, branch, reason, message }];
  });
  return [...ofSessions, ...folders.map((folder) => zombie(folder, survey)), ...gone];
}
