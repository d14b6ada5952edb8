import { changedFiles } from '#io/git/changed-files.ts';
import { newProbeCache } from '#io/git/merge-probe.ts';
import type { SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { PairConflict, Session } from '#protocol/session.ts';
import { coalesced } from './coalesced.ts';
import { inLanes } from './in-lanes.ts';
import { headOf, isProbed, probeSessions } from './probe-sessions.ts';
import type { SessionPlaceParts } from './session-place.ts';
import type { SessionSink } from './session-runs.ts';

export interface WorkWatchParts extends Pick<SessionPlaceParts, 'git' | 'root' | 'warn'> {
  readonly sink: () => SessionSink;
  readonly all: () => readonly Session[];
}

export interface WorkWatch {
  /** What a session has changed by now counts as planned, and is compared with what the others have done. Never rejects. */
  look(session: SessionId): Promise<void>;
  /** As of the last looks; null: never compared, or this git can't. */
  conflicts(): readonly PairConflict[] | null;
}

/** Knows what sessions have really done, and where it would be in conflict (spec/worktrees.md "Change plan and conflict scan"). */
export function createWorkWatch({ git, root, warn, sink, all }: WorkWatchParts): WorkWatch {
  const cache = newProbeCache();
  const heads = new Map<SessionId, string>();
  /** Of these the head is another one by now. */
  const moved = new Set<SessionId>();
  const looks = new Map<SessionId, () => Promise<void>>();
  let conflicts: readonly PairConflict[] | null = null;
  let lastWarning = '';

  const warnOnce = (message: string): void => {
    if (message !== lastWarning) warn(message);
    lastWarning = message;
  };

  const keepChanged = async (id: SessionId): Promise<void> => {
    const { worktree, base, changed } = sink().get(id);
    if (worktree === null || base === null) return;
    const found = await changedFiles(git, worktree, base.commit);
    // It was merged or discarded in the meantime.
    if (sink().get(id).worktree !== worktree) return;
    if (found.kind === 'refused') return warn(`${id}: ${found.message}`);
    if (found.files.join('\0') !== changed.join('\0')) sink().change(id, { changed: found.files });
  };

  const probe = coalesced(async () => {
    const probed = all().filter(isProbed);
    for (const id of moved) heads.delete(id);
    moved.clear();
    const commits = await inLanes(
      probed,
      async (session) => [session.id, heads.get(session.id) ?? (await headOf(session, git, root))] as const,
    );
    // In the order of the sessions: the first of a pair is always the same.
    heads.clear();
    for (const [id, head] of commits) if (head !== null) heads.set(id, head);
    const found = await probeSessions(heads, git, root, cache);
    if (found.kind === 'refused') return warnOnce(`the work of sessions was not compared: ${found.message}`);
    conflicts = found.conflicts;
  });

  const lookOnce = async (id: SessionId): Promise<void> => {
    try {
      await keepChanged(id);
      moved.add(id);
      await probe();
    } catch (thrown) {
      warnOnce(`${id}: ${messageOf(thrown)}`);
    }
  };

  return {
    look: (id) => {
      const look = looks.get(id) ?? coalesced(() => lookOnce(id));
      looks.set(id, look);
      return look();
    },
    conflicts: () => conflicts,
  };
}
