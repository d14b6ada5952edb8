import type { ErrorCode } from '#protocol/error.ts';

/** The exit code of the command line for each code of a thrown error. */
export const ERROR_EXIT_CODES: Readonly<Record<ErrorCode, number>> = {
  wrong_state: 1,
  refused: 1,
  usage: 2,
  io: 2,
  unsafe_path: 2,
  file_ignored: 2,
  precondition_failed: 1,
  module_not_approved: 2,
  content_changed: 1,
  waits: 3,
  ai_failed: 1,
  no_keychain: 2,
  corrupt_state: 1,
  state_not_saved: 1,
  host_denied: 2,
  host_version: 2,
  host_failed: 1,
  no_remote: 2,
  no_forge_program: 2,
  not_logged_in: 2,
  not_on_forge: 2,
  rate_limited: 2,
  forge_failed: 2,
  bug: 1,
};
