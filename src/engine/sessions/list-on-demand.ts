import { openSessionList, type SessionList } from '#actors/session/index.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import type { Session } from '#protocol/session.ts';
import { movedEvent } from './model/moved-event.ts';
import type { SessionPlaceParts } from './model/session-place.ts';
import type { SessionHooks } from './open-sessions.ts';

interface ListOnDemandParts extends Pick<SessionPlaceParts, 'calls' | 'folder' | 'now' | 'newId' | 'warn'> {
  readonly recordMove: (moved: SessionMoved) => void;
  readonly observe: (name: string, root: object) => void;
}

/** The list of the project's sessions, which is read when it is first used. */
export function createListOnDemand({ calls, folder, now, newId, warn, recordMove, observe }: ListOnDemandParts) {
  let list: SessionList | null = null;
  let listener: SessionHooks['onMoved'];
  /** Returns the list. Throws if it can't be read. */
  const listed = (): SessionList =>
    (list ??= openSessionList({
      place: { calls, folder },
      now,
      unique: () => newId(6),
      observe,
      onMoved: (session, by, from, why) => {
        const moved = movedEvent(session, by, from, why);
        recordMove(moved);
        listener?.(session, by, moved);
      },
    }));
  return {
    listed,
    /** Returns the sessions; null if they can't be read, which is reported. */
    readable: (): readonly Session[] | null => {
      try {
        return listed().all();
      } catch (thrown) {
        warn(messageOf(thrown));
        return null;
      }
    },
    /** Returns the sessions, if the list was read before. */
    known: (): readonly Session[] => list?.all() ?? [],
    /** Sets the function that is called after each move, in addition to `recordMove`. */
    listen: (onMoved: SessionHooks['onMoved']): void => {
      listener = onMoved;
    },
  };
}
