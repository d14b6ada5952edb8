import type { Serialise } from '#io/files/serialise.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import type { Environment } from '#protocol/environment.ts';
import type { SessionId } from '#protocol/id.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { Processes } from '#protocol/services.ts';
import { statIfThere } from '#io/files/durable-file.ts';
import type { Session } from '#protocol/session.ts';

/** A project with sessions, and the functions that operate on them. */
export interface SessionPlaceParts {
  /** The project's folder: its main checkout, or a linked worktree. */
  readonly root: string;
  /** The absolute path of `.flow`. */
  readonly folder: string;
  readonly calls: FileCalls;
  readonly git: Git;
  readonly processes: Processes;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Returns the environment of the command that started a session; null if that is not known. */
  readonly environmentOf?: (session: SessionId) => Environment | null;
  /** Returns the processes for a session's own commands, with the environment of the command that started it. */
  readonly processesOf?: (session: SessionId) => Processes;
  readonly now: () => number;
  readonly newId: (bytes: number) => string;
  readonly warn: (message: string) => void;
  /** Removes known secrets from a text before it is stored. Absent if no secrets are known. */
  readonly redact?: (text: string) => string;
  /** Returns whether a text contains one of the user's keys. Absent if no keys are known. */
  readonly hasKey?: (text: string) => boolean;
}

/** Adds the serialiser for operations on shared refs and worktrees. */
export interface SerialPlaceParts extends SessionPlaceParts {
  readonly serialise: Serialise;
}

/** Returns the processes for the commands of a session. */
export const processesFor = (
  { processes, processesOf }: Pick<SessionPlaceParts, 'processes' | 'processesOf'>,
  session: SessionId,
): Processes => processesOf?.(session) ?? processes;

/** Returns why a session's worktree is missing; null if it exists, or if the session has none. */
export function whyNoFolder(
  { id, worktree, branch }: Session,
  { calls }: Pick<SessionPlaceParts, 'calls'>,
): { readonly ok: false; readonly why: string } | null {
  if (worktree === null || statIfThere(calls, worktree) !== null) return null;
  const why = `its worktree ${worktree} is missing: robosmith sessions resume ${id} creates it again from the branch ${branch}`;
  return { ok: false, why };
}
