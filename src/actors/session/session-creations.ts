import { hasWork } from '#machines/session/resolving.ts';
import { keptConflict } from '#protocol/in-conflict.ts';
import type { SessionId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import { type CreatedWorktree, refused, type SessionEffects } from './session-effects.ts';
import type { SendToSession, SessionList, SessionPatch } from './session-list.ts';

interface SessionCreationsParts {
  readonly list: SessionList;
  readonly effects: Pick<SessionEffects, 'create' | 'begin'>;
  readonly send: SendToSession;
  readonly warn: (message: string) => void;
}

/** The worktrees that this process is creating, and the runs that begin in them. */
interface SessionCreations {
  /** Creates the worktree of a session and begins its run, in the background. */
  start(id: SessionId): void;
  /** Stops the creation of a worktree; false if this process creates no worktree for the session. */
  stop(id: SessionId): boolean;
  /** Resolves once everything that was started has ended. */
  idle(): Promise<void>;
}

/** Returns what a session keeps of a created worktree. */
const madeBy = ({ base, worktree, ports, isWorktreeKept, remarks }: CreatedWorktree): SessionPatch => ({
  base,
  worktree,
  ports,
  isWorktreeKept,
  remarks,
});

export function createSessionCreations({ list, effects, send, warn }: SessionCreationsParts): SessionCreations {
  const inProgress = new Set<Promise<void>>();
  const makings = new Map<SessionId, AbortController>();

  /** Handles a stopped creation. A worktree that was already complete is kept. */
  const stopped = (id: SessionId, made: Awaited<ReturnType<SessionEffects['create']>>): void => {
    const hasBranch = made.ok || list.get(id).base !== null;
    const what = made.ok ? 'the creation of its worktree was stopped' : made.why;
    const why = `${what}: robosmith sessions ${hasBranch ? 'resume' : 'submit'} ${id} starts it again`;
    const patch = made.ok ? madeBy(made) : {};
    send(id, { type: 'session.creation_stopped', hasBranch }, { why, ...keptConflict(list.get(id)), ...patch });
  };

  const create = async (id: SessionId): Promise<void> => {
    const making = new AbortController();
    makings.set(id, making);
    const made = await effects.create(list.get(id), making.signal).catch(refused);
    makings.delete(id);
    if (making.signal.aborted) return stopped(id, made);
    if (!made.ok) return void send(id, { type: 'session.creation_failed' }, { why: made.why });
    const { worktree } = made;
    const before = list.get(id);
    const left = worktree === before.worktree ? keptConflict(before) : {};
    const hasJob = hasWork(before);
    const session = send(id, { type: 'session.created', hasJob }, { ...madeBy(made), ...left });
    if (session.state !== 'running') return;
    await effects.begin(session).catch((thrown: unknown) => {
      send(id, { type: 'run.halted' }, { why: `its run did not start: ${messageOf(thrown)}` });
    });
  };

  return {
    start: (id) => {
      const started = create(id)
        .catch((thrown: unknown) => warn(messageOf(thrown)))
        .finally(() => inProgress.delete(started));
      inProgress.add(started);
    },
    stop: (id) => {
      const making = makings.get(id);
      making?.abort();
      return making !== undefined;
    },
    idle: async () => {
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}
