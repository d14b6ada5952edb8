import { openSessionList, type SessionList } from '#actors/session/index.ts';
import { reconcileSessions } from '#engine/sessions/recovery/reconcile-sessions.ts';
import type { SessionPlaceParts } from '#engine/sessions/model/session-place.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { processes } from '#io/process/process.ts';
import type { Session } from '#protocol/session.ts';
import { newRepository, realGit, type Repository } from '../../../support/git-repository.ts';
import { aSession } from '../../../unit/machines/session/a-session.ts';

export const NOW = Date.now();

/** A repository with sessions whose worktrees git has created. */
export interface SessionProject extends Repository {
  readonly list: SessionList;
  readonly parts: SessionPlaceParts;
  readonly warned: string[];
  /** Creates a worktree on `robosmith/<number>` that is locked like a session's but belongs to no session. */
  worktree(number: number): string;
  /** Creates a session with such a worktree. */
  session(number: number, more?: Partial<Session>): Session;
  reconcile(): Promise<void>;
}

export async function sessionProject(): Promise<SessionProject> {
  const at = await newRepository();
  const warned: string[] = [];
  let unique = 0;
  const newId = (): string => `${process.pid}-${String((unique += 1))}`;
  const folder = at.at('project/.flow');
  const list = openSessionList({
    place: { calls: fileCalls, folder },
    now: () => NOW,
    unique: newId,
  });
  const parts: SessionPlaceParts = {
    root: at.root,
    folder,
    calls: fileCalls,
    git: realGit,
    processes,
    environment: {},
    now: () => NOW,
    newId,
    warn: (message) => warned.push(message),
  };
  const worktree = (number: number): string => {
    const place = at.at(`project.worktrees/${number}`);
    const lock = ['--lock', '--reason', `robosmith ${aSession(number).id}`];
    at.git(['worktree', 'add', '--quiet', ...lock, '-b', `robosmith/${number}`, place]);
    return place;
  };
  return {
    ...at,
    list,
    parts,
    warned,
    worktree,
    session: (number, more = {}) => {
      const session = aSession(number, { worktree: worktree(number), ...more });
      list.add(session);
      return session;
    },
    reconcile: () => reconcileSessions(list, parts),
  };
}
