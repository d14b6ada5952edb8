import type { Serialise } from '#io/git/plumbing/serialise.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { Processes } from '#protocol/services.ts';

/** A project with sessions, and what they are done with. */
export interface SessionPlaceParts {
  /** The project: its main checkout, or a linked worktree that it was opened in. */
  readonly root: string;
  /** `.flow`, absolute. */
  readonly folder: string;
  readonly calls: FileCalls;
  readonly git: Git;
  readonly processes: Processes;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly newId: (bytes: number) => string;
  readonly warn: (message: string) => void;
}

/** With whatever keeps what touches shared refs and worktrees in order. */
export interface SerialPlaceParts extends SessionPlaceParts {
  readonly serialise: Serialise;
}
