import type { Reason, Response } from '#protocol/response.ts';
import type { StoredRunCommands } from '../names/stored-run-commands.ts';
import { shellWord } from '#protocol/shell-word.ts';

export interface CommandParts {
  /** The value of `--manifest`, to repeat it. */
  readonly manifest: string | undefined;
  /** Null if the run is not stored. */
  readonly kept: StoredRunCommands | null;
}

/** Returns the commands to suggest for a failure with this reason. */
export function nextCommands(
  reason: Reason,
  { details }: Response,
  { manifest, kept }: CommandParts,
): readonly string[] {
  const { next } = details;
  if (Array.isArray(next)) return next.map(String);
  const help = helpFor(reason).map((command) => aboutManifest(command, manifest));
  return kept === null ? help : [...helpWithRun(reason, kept), ...help];
}

const TAKES_MANIFEST = /^robosmith (?:validate|manifest show|graph|doctor|rules)\b/;

/** Adds `--manifest` to a command if it was given and the command accepts it. */
export const aboutManifest = (command: string, manifest: string | undefined): string =>
  manifest === undefined || !TAKES_MANIFEST.test(command) ? command : `${command} --manifest ${shellWord(manifest)}`;

function helpFor(reason: Reason): readonly string[] {
  switch (reason) {
    case 'interrupted':
    case 'cancelled':
      return [];
    case 'root_not_found':
      return ['robosmith init'];
    case 'unknown_node':
    case 'invalid_input':
      return ['robosmith manifest show'];
    case 'no_transition':
    case 'condition_resolution_error':
    case 'invalid_graph':
      return ['robosmith validate'];
    case 'max_steps_exceeded':
    case 'max_run_steps_exceeded':
    case 'max_depth_exceeded':
      return ['robosmith graph --format html --out workflow.html'];
    case 'engine_busy':
      return ['robosmith runs'];
    case 'invalid_root':
    case 'worker_error':
    case 'precondition_failed':
    case 'timeout':
    case 'corrupt_state':
    case 'state_not_saved':
      return ['robosmith doctor'];
    default:
      return ['robosmith manifest show'];
  }
}

/** Returns the commands to suggest that concern the run itself. */
function helpWithRun(reason: Reason, { command }: StoredRunCommands): readonly string[] {
  switch (reason) {
    case 'interrupted':
    case 'state_not_saved':
      return [command('resume')];
    case 'cancelled':
      return [];
    case 'corrupt_state':
      return [command('runs replay')];
    case 'worker_error':
    case 'worker_contract_violation':
    case 'precondition_failed':
    case 'timeout':
    case 'unsafe_to_retry':
    case 'evidence_failed':
      return [command('resume', '--retry')];
    default:
      return [command('runs show')];
  }
}
