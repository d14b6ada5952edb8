import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { Perform } from './perform.ts';

/** What the commands about one session share. */
export const SESSION = ['<session>', 'its id, how that begins, its title or its branch'] as const;
export const JSON_OUT = ['--json', 'print one JSON document'] as const;

/** The parser takes `--json` for that of `sessions`, wherever it stands. */
export const optionsOf = (command: Command): unknown => command.optsWithGlobals();

export type Declared = (sessions: Command, io: CliIo, perform: Perform) => void;
