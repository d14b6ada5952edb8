import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { Perform } from './perform.ts';

/** What the commands about one session share. */
export const SESSION = ['<session>', 'Session: id, unique prefix of it, title or branch'] as const;
export const JSON_OUT = ['--json', 'Print one JSON document'] as const;

/** The parser takes `--json` for that of `sessions`, wherever it stands. */
export const optionsOf = (command: Command): unknown => command.optsWithGlobals();

export type Declared = (sessions: Command, io: CliIo, perform: Perform) => void;
