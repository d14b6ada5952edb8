import type { Serialise } from '#io/git/plumbing/serialise.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { Processes } from '#protocol/services.ts';

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
  readonly now: () => number;
  readonly newId: (bytes: number) => string;
  readonly warn: (message: string) => void;
  /** Removes known secrets from a text before it is stored. Absent if no secrets are known. */
  readonly redact?: (text: string) => string;
}

/** Adds the serialiser for operations on shared refs and worktrees. */
export interface SerialPlaceParts extends SessionPlaceParts {
  readonly serialise: Serialise;
}
