import type { RunId } from '#protocol/id.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from './shown-path.ts';
import { shellWord } from '#protocol/shell-word.ts';

/** A run with a journal, and how commands refer to it. */
export interface StoredRunCommands {
  readonly run: RunId;
  /** Returns a command line for this run, with further words. */
  command(verb: string, ...more: readonly string[]): string;
  /** Returns a command line for the project of the run. */
  inProject(...words: readonly string[]): string;
}

/** Returns how commands refer to a run. `elsewhere` is the project's folder if commands typed in the current directory would not find the run. */
export function storedRunCommands(run: RunId, elsewhere: string | null, io: CliIo): StoredRunCommands {
  const program = elsewhere === null ? ['robosmith'] : ['robosmith', '-C', shownPath(elsewhere, io)];
  return {
    run,
    inProject: (...words) => [...program, ...words].map(shellWord).join(' '),
    command: (verb, ...more) => [...program, ...verb.split(' '), run, ...more].map(shellWord).join(' '),
  };
}
