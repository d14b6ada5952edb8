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
  | { readonly kind: 'moved'; readonly session: SessionId; readonly from: string; readonly to: string }
  | { readonly kind: 'switched'; readonly session: SessionId; readonly path: string; readonly found: string }
  | { readonly kind: 'detached'; readonly session: SessionId; readonly path: string; readonly head: string | null }
  | { readonly kind: 'locked'; readonly session: SessionId; readonly path: string; readonly reason: string }
  /** Its folder is there, and git does not know it. */
  | { readonly kind: 'unregistered'; readonly session: SessionId; readonly path: string }
  /** Of nobody here; `git worktree prune` would forget it. */
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

/** Null: there is nothing to be said of it. */
function ofSession(session: Session, survey: Survey): Finding | null {
  const { id, worktree, branch, state, isolation } = session;
  if (worktree === null || isolation === 'none' || ENDED.has(state) || UNMADE.has(state)) return null;
  const entry = survey.listed.find(({ path }) => path === worktree);
  const folder = survey.folders.find(({ path }) => path === worktree);
  if (entry !== undefined && folder !== undefined) return standing(session, entry, folder);
  const elsewhere = survey.listed.find(
    (one) => one.branch === branch && !one.isMain && one.prunable === null && one.path !== worktree,
  );
  if (folder === undefined && elsewhere !== undefined)
    return {
      ...{ kind: 'moved', session: id, from: worktree, to: elsewhere.path },
      message: `"${branch}" is in ${elsewhere.path} now, not in ${worktree}: somebody moved it`,
    };
  if (folder === undefined)
    // A failed one has cleaned up behind itself.
    return state === 'failed' && entry === undefined && !survey.branches.has(branch)
      ? null
      : lost(session, survey, entry);
  return {
    ...{ kind: 'unregistered', session: id, path: worktree },
    message: `Git does not know ${worktree} (any more): \`git worktree repair\` may help; look at what is in it first`,
  };
}

const WHOSE: Readonly<Record<WorktreeFolder['of'], string>> = {
  this: 'is a worktree that no session has',
  other: 'is a worktree of another repository',
  none: 'is no worktree, and no session has it',
};

function zombie(folder: WorktreeFolder, { sessions, listed }: Survey): Finding {
  const { path, of, isHalfMade } = folder;
  const entry = listed.find((one) => one.path === path);
  const ended = sessions.find(({ worktree }) => worktree === path);
  const whose = ended === undefined ? WHOSE[of] : `is left of the session "${ended.title}", which is ${ended.state}`;
  return {
    ...{ kind: 'zombie', path, of, isHalfMade, isRegistered: entry !== undefined },
    ...{ branch: entry?.branch ?? null, session: ended?.id ?? null },
    message: `${path} ${whose}: \`robosmith worktrees clean\` offers to remove it`,
  };
}

const placeOf = (finding: Finding): readonly string[] =>
  finding.kind === 'moved' ? [finding.to] : 'path' in finding ? [finding.path] : [];

/** Sessions compared with what is really there (spec/worktrees.md "Reconciliation at start"). The same survey gives the same findings. */
export function reconcile(survey: Survey): readonly Finding[] {
  const ofSessions = survey.sessions.flatMap((session) => ofSession(session, survey) ?? []);
  const taken = new Set(ofSessions.flatMap(placeOf));
  const ghosts = new Set(
    survey.sessions
      .filter(({ id }) => ofSessions.some((one) => one.kind === 'ghost' && one.session === id))
      .map(({ worktree }) => worktree),
  );
  const known = new Set(survey.listed.filter(({ isMain }) => isMain).map(({ path }) => path));
  const folders = survey.folders.filter(({ path }) => !taken.has(path) && !known.has(path));
  const prunable = survey.listed.flatMap(({ path, branch, prunable: reason }): readonly Finding[] =>
    reason === null || taken.has(path) || ghosts.has(path) || survey.folders.some((one) => one.path === path)
      ? []
      : [
          {
            kind: 'prunable',
            path,
            branch,
            reason,
            message: `Git still knows ${path}, which is gone: \`git worktree prune\` makes it forget it`,
          },
        ],
  );
  return [...ofSessions, ...folders.map((folder) => zombie(folder, survey)), ...prunable];
}
