import path from 'node:path';
import { readIfThere, replaceFile } from '#io/files/durable-file.ts';
import { storedPath } from '#io/files/stored-path.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { decodeSessions, encodeSessions, type StoredSessions } from './decode-sessions.ts';

export interface SessionPlace {
  readonly calls: FileCalls;
  /** The absolute path of `.flow`. */
  readonly folder: string;
}

/** Returns the sessions with changed paths of the files that their jobs read. */
function withPaths({ submissions, sessions }: StoredSessions, to: (file: string) => string): StoredSessions {
  const moved = <Files extends { readonly manifest: string }>(one: Files): Files => ({
    ...one,
    manifest: to(one.manifest),
  });
  return {
    submissions,
    sessions: sessions.map((session) => ({
      ...session,
      job:
        session.job === null
          ? null
          : { ...moved(session.job), script: session.job.script === null ? null : to(session.job.script) },
      resolving: session.resolving === null ? null : moved(session.resolving),
    })),
  };
}

export const sessionsFile = (folder: string): string => path.join(folder, 'sessions.json');

/**
 * Reads all sessions of a project, whichever process owns its engine. Throws `corrupt_state` if they can't be read.
 */
export function readSessions({ calls, folder }: SessionPlace): StoredSessions {
  const file = sessionsFile(folder);
  const bytes = readIfThere(calls, file);
  if (bytes === null) return { submissions: 0, sessions: [] };
  const stored = decodeSessions(bytes);
  if (!('fault' in stored)) return withPaths(stored, (name) => path.resolve(path.dirname(folder), name));
  throw new RoboSmithError('corrupt_state', `${file}: ${stored.fault}`, {
    file,
    why: stored.fault,
    advice: 'The worktrees are not lost: move the file away, and run robosmith worktrees clean to see them',
  });
}

/** Replaces the list atomically: after a crash, the file contains the old or the new list. */
export function writeSessions({ calls, folder }: SessionPlace, stored: StoredSessions, unique: string): void {
  calls.makeFolder(folder);
  const movable = withPaths(stored, (file) => storedPath(path.dirname(folder), file));
  replaceFile(calls, sessionsFile(folder), encodeSessions(movable), unique);
}
