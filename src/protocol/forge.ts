/** The reasons why a forge (GitHub, GitLab) could not be used. `schemas/errors.md` explains each of them. */
export const FORGE_CODES = [
  'no_remote',
  'no_forge_program',
  'not_logged_in',
  'not_on_forge',
  'rate_limited',
  'forge_failed',
] as const;

export type ForgeCode = (typeof FORGE_CODES)[number];

export interface ForgeProblem {
  readonly ok: false;
  readonly code: ForgeCode;
  readonly message: string;
}

export const forgeProblem = (code: ForgeCode, message: string): ForgeProblem => ({ ok: false, code, message });

/** A pull request that the last block of a run proposes. */
export interface ProposedPullRequest {
  /** Null: the title of the session. */
  readonly title: string | null;
  /** Text for the top of the description, above the text that RoboSmith generates; null for none. */
  readonly text: string | null;
  /** The checks that the run has made, one line each. */
  readonly checks: readonly string[];
  readonly isDraft: boolean;
}

export type OpenedPullRequest =
  | {
      readonly ok: true;
      readonly url: string;
      readonly number: number;
      /** False if the pull request was open already. */
      readonly isNew: boolean;
      /** The pushed commit: a full hash. */
      readonly commit: string;
    }
  | {
      readonly ok: false;
      readonly code: ForgeCode | 'no_session' | 'not_pushed';
      readonly message: string;
    };

/** A port that opens the pull request of a run's session. */
export interface PullRequests {
  /** Pushes the session's branch, and opens its pull request or updates the open one. Never merges. */
  open(order: ProposedPullRequest): Promise<OpenedPullRequest>;
}
