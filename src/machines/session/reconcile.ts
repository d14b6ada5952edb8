import type { SessionId } from '#protocol/id.ts';
import { hasEnded, type Session } from '#protocol/session.ts';
import { shellWord } from '#protocol/shell-word.ts';
import { isOurLock, type ListedWorktree, type WorktreeFolder } from '#protocol/worktree.ts';

/** The stored sessions, and the state of git and the file system, which is authoritative. */
export interface Survey {
  readonly sessions: readonly Session[];
  /** The entries of `git worktree list`, the main one first. */
  readonly listed: readonly ListedWorktree[];
  /** The folders in the project's folder of worktrees, and those of sessions elsewhere. */
  readonly folders: readonly WorktreeFolder[];
  /** Local branches without `refs/heads/`. */
  readonly branches: ReadonlySet<string>;
}

/** A finding about a session or a folder. Findings only report: nothing is removed. */
export type Finding = { readonly message: string } & (
  | { readonly kind: 'ok' | 'half_made'; readonly session: SessionId; readonly path: string }
  /**
   * A folder without a session, reported and offered for clean-up. `session` is set if it belonged to one that has
   * ended.
   */
  | {
      readonly kind: 'zombie';
      readonly path: string;
      readonly isRegistered: boolean;
      readonly of: WorktreeFolder['of'];
      readonly branch: string | null;
      readonly isHalfMade: boolean;
      readonly session: SessionId | null;
    }
  /**
   * A session without its folder. `heal`: its branch is missing as well, so the session can be forgotten. `recreate`:
   * its branch exists, so the worktree can be created again.
   */
  | {
      readonly kind: 'ghost';
      readonly session: SessionId;
      readonly next: 'heal' | 'recreate';
      readonly isRegistered: boolean;
    }
  /**
   * The session's branch is checked out at another path, or the repository was moved away from the worktree: then `from`
   * and `to` are equal.
   */
  | {
      readonly kind: 'moved';
      readonly session: SessionId;
      readonly from: string;
      readonly to: string;
      /** True if it was moved without git: `git worktree repair` is needed. */
      readonly needsRepair: boolean;
    }
  | { readonly kind: 'switched'; readonly session: SessionId; readonly path: string; readonly found: string }
  | { readonly kind: 'detached'; readonly session: SessionId; readonly path: string; readonly head: string | null }
  | { readonly kind: 'index_damaged'; readonly session: SessionId; readonly path: string }
  | { readonly kind: 'branch_gone'; readonly session: SessionId; readonly path: string }
  | { readonly kind: 'locked'; readonly session: SessionId; readonly path: string; readonly reason: string }
  /**
   * The folder is a worktree of another copy of the project. `entry` is the folder in which this repository has
   * registered it all the same.
   */
  | { readonly kind: 'of_a_copy'; readonly session: SessionId; readonly path: string; readonly entry: string }
  /** The folder exists, but git has not registered it as a worktree. */
  | { readonly kind: 'unregistered'; readonly session: SessionId; readonly path: string }
  /** A registered worktree that belongs to no session and whose folder is missing: git can remove the entry. */
  | { readonly kind: 'prunable'; readonly path: string; readonly branch: string | null; readonly reason: string }
);

/** States in which nothing has been created yet. */
const UNMADE: ReadonlySet<Session['state']> = new Set(['draft', 'queued']);

function lost(session: Session, { branches }: Survey, entry: ListedWorktree | undefined): Finding {
  const { id, branch, worktree } = session;
  const isRegistered = entry !== undefined;
  if (branches.has(branch))
    return {
      kind: 'ghost',
      session: id,
      next: 'recreate',
      isRegistered,
      message: `${worktree ?? 'its folder'} is missing, but its branch "${branch}" exists, so the worktree can be created again`,
    };
  return {
    kind: 'ghost',
    session: id,
    next: 'heal',
    isRegistered,
    message: `${worktree ?? 'its folder'} and its branch "${branch}" are missing; only the history of the session is left`,
  };
}

function standing(session: Session, entry: ListedWorktree, folder: WorktreeFolder): Finding {
  const { id, branch } = session;
  const { path, head } = entry;
  const found = { session: id, path };
  if (folder.needsRepair)
    return {
      kind: 'moved',
      session: id,
      from: path,
      to: path,
      needsRepair: true,
      message: `the repository of ${path} was moved`,
    };
  if (folder.isHalfMade)
    return { kind: 'half_made', ...found, message: `${path} is incomplete, but can be removed and created again` };
  if (folder.damagedIndex !== null) {
    const index = shellWord(folder.damagedIndex);
    const mend = `mv ${index} ${shellWord(`${folder.damagedIndex}.damaged`)} && git -C ${shellWord(path)} reset --quiet`;
    const message = `the index of ${path} is damaged, so git can't read it: \`${mend}\` makes it again and changes no file`;
    return { kind: 'index_damaged', ...found, message };
  }
  if (entry.locked !== null && !isOurLock(entry.locked))
    return {
      kind: 'locked',
      ...found,
      reason: entry.locked,
      message: `${path} is locked with \`git worktree lock\`: "${entry.locked}"`,
    };
  if (entry.branch === null)
    return {
      kind: 'detached',
      ...found,
      head,
      message: `HEAD of ${path} is detached, but "${branch}" should be checked out`,
    };
  if (entry.branch !== branch)
    return {
      kind: 'switched',
      ...found,
      found: entry.branch,
      message: `"${entry.branch}" is checked out in ${path} instead of "${branch}"`,
    };
  if (head === null)
    return {
      kind: 'branch_gone',
      ...found,
      message: `the branch "${branch}" of ${path} is gone: robosmith sessions merge ${id} says how to make it again`,
    };
  return { kind: 'ok', ...found, message: '' };
}

/** Returns where a session's branch is checked out, if that is not its own folder. */
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
      kind: 'moved',
      session: id,
      from: worktree ?? '',
      ...moved,
      message: `"${branch}" is checked out in ${moved.to} now, not in ${worktree ?? ''}: the worktree was moved`,
    };
  // A session that failed has removed what it created.
  const isGone = state === 'failed' && entry === undefined && !survey.branches.has(branch);
  return isGone ? null : lost(session, survey, entry);
}

/** Returns whether the session should have a folder of its own. */
const isLive = (session: Session): boolean =>
  session.worktree !== null && !hasEnded(session) && !UNMADE.has(session.state);

/** Returns the finding about a session, or null. */
function ofSession(session: Session, survey: Survey): Finding | null {
  const { id, worktree } = session;
  if (worktree === null || !isLive(session)) return null;
  const entry = survey.listed.find(({ path }) => path === worktree);
  const folder = survey.folders.find(({ path }) => path === worktree);
  if (folder === undefined) return withoutFolder(session, survey, entry);
  if (entry !== undefined && folder.of === 'this') return standing(session, entry, folder);
  if (folder.copiedEntry !== null)
    return {
      kind: 'of_a_copy',
      session: id,
      path: worktree,
      entry: folder.copiedEntry,
      message: `${worktree} belongs to another copy of the project: robosmith sessions resume ${id} creates a worktree here from the branch "${session.branch}"`,
    };
  return {
    kind: 'unregistered',
    session: id,
    path: worktree,
    message: unregisteredText(id, worktree),
  };
}

/** Returns what a person does with a folder that git no longer knows, so that nothing in it can be compared. */
export const unregisteredText = (id: SessionId, worktree: string): string =>
  `Git does not know ${worktree} as a worktree any more: move it away with \`mv ${shellWord(worktree)} ${shellWord(`${worktree}.away`)}\`, then robosmith sessions resume ${id} creates it again from its branch, and files that were not committed can be copied from there`;

const WHOSE: Readonly<Record<WorktreeFolder['of'], string>> = {
  this: 'is a worktree without a session',
  other: 'is a worktree of another repository',
  none: 'is not a worktree and belongs to no session',
};

function zombie(folder: WorktreeFolder, { sessions }: Survey): Finding {
  const { path, of, isHalfMade, isRegistered } = folder;
  const ended = sessions.find(({ worktree }) => worktree === path);
  const whose =
    ended === undefined ? WHOSE[of] : `is left over from the session "${ended.title}", which is ${ended.state}`;
  return {
    kind: 'zombie',
    path,
    of,
    isHalfMade,
    isRegistered,
    branch: folder.branch,
    session: ended?.id ?? null,
    message: `${path} ${whose}: \`robosmith worktrees clean\` offers to remove it`,
  };
}

const placeOf = (finding: Finding): readonly string[] =>
  finding.kind === 'moved' ? [finding.to] : 'path' in finding ? [finding.path] : [];

/** Compares sessions with what really exists. The same survey gives the same findings. */
export function reconcile(survey: Survey): readonly Finding[] {
  const ofSessions = survey.sessions.flatMap((session) => ofSession(session, survey) ?? []);
  const taken = new Set(ofSessions.flatMap(placeOf));
  const live = new Set(survey.sessions.filter(isLive).map(({ worktree }) => worktree));
  const mains = new Set(survey.listed.filter(({ isMain }) => isMain).map(({ path }) => path));
  const there = new Set(survey.folders.map(({ path }) => path));
  const folders = survey.folders.filter(({ path }) => !taken.has(path) && !mains.has(path));
  const gone = survey.listed.flatMap(({ path, branch, isMain, isThere, locked, prunable }): readonly Finding[] => {
    // A worktree locked by somebody else may be on a disk that is not mounted.
    const isAway = locked !== null && !isOurLock(locked);
    if ((isThere && prunable === null) || isMain || isAway || live.has(path) || there.has(path)) return [];
    const reason = prunable ?? 'its folder is missing';
    const message = `Git still lists ${path}, which no longer exists; \`robosmith worktrees clean\` removes the entry`;
    return [{ kind: 'prunable', path, branch, reason, message }];
  });
  return [...ofSessions, ...folders.map((folder) => zombie(folder, survey)), ...gone];
}
