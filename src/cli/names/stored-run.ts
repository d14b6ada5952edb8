import type { RunId } from '#protocol/id.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from './shown-path.ts';
import { shellWord } from '#protocol/shell-word.ts';

/** A run that a journal keeps, as later commands name it. */
export interface Kept {
  readonly run: RunId;
  /** The command line with these words, and more of them. */
  command(verb: string, ...more: readonly string[]): string;
}

/** `elsewhere`: the project, where it can't be found from the folder in which commands are typed. */
export function keptRun(run: RunId, elsewhere: string | null, io: CliIo): Kept {
  const program = elsewhere === null ? ['robosmith'] : ['robosmith', '-C', shownPath(elsewhere, io)];
  return {
    run,
    command: (verb, ...more) => [...program, ...verb.split(' '), run, ...more].map(shellWord).join(' '),
  };
}
