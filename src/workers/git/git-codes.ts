import type { JsonObject } from '#protocol/json.ts';

/** The reasons why nothing was committed. `schemas/errors.md` explains each of them. */
export const GIT_CODES = [
  'not_a_repository',
  'merge_conflicts',
  'merge_in_progress',
  'identity_missing',
  'index_locked',
  'hook_refused',
  'nothing_allowed',
  'known_key',
  'git_failed',
] as const;

type GitCode = (typeof GIT_CODES)[number];

export interface GitProblem {
  readonly code: GitCode;
  readonly message: string;
  readonly data: JsonObject;
}

export const gitProblem = (code: GitCode, message: string, data: JsonObject = {}): GitProblem => ({
  code,
  message,
  data,
});
