import { readIfThere } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { SessionId } from '#protocol/id.ts';
import type { SessionMoved } from '#protocol/session-event.ts';
import { eventFiles } from './event-files.ts';
import { nullIfItThrows } from './null-if-it-throws.ts';

const MARK = '{"type":"session.moved",';

/** Returns whether a line belongs to a session, and to no run. */
export const isMove = (line: string): boolean => line.startsWith(MARK);

function asMove(line: string, session: SessionId): SessionMoved | null {
  const value = nullIfItThrows(() => JSON.parse(line) as Partial<SessionMoved>);
  if (value?.session !== session) return null;
  const { time, from, to, by, why } = value;
  const isText = (one: unknown): boolean => typeof one === 'string';
  const isWhole = Number.isFinite(time) && isText(to) && isText(by) && (from === null || isText(from));
  return isWhole && (why === null || isText(why)) ? (value as SessionMoved) : null;
}

/** Returns a session's state changes, oldest first, as far back as the log goes. Unreadable lines are left out. */
export function readMoves(calls: FileCalls, folder: string, session: SessionId): readonly SessionMoved[] {
  const files = nullIfItThrows(() => eventFiles(calls, folder)) ?? [];
  return files.flatMap((file) => {
    const bytes = nullIfItThrows(() => readIfThere(calls, file)) ?? new Uint8Array();
    const lines = new TextDecoder().decode(bytes).split('\n').filter(isMove);
    return lines.flatMap((line) => asMove(line, session) ?? []);
  });
}
