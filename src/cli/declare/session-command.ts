import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { Perform } from './perform.ts';

/** Arguments and options that the commands for one session share. */
export const SESSION = ['<session>', 'Session: id, unique prefix of it, title or branch'] as const;
export const JSON_OUT = ['--json', 'Print one JSON document'] as const;

/** Includes the options of `sessions`: the parser assigns `--json` to it, wherever it stands. */
export const optionsOf = (command: Command): unknown => command.optsWithGlobals();

export type Declared = (sessions: Command, io: CliIo, perform: Perform) => void;
