import type { ErrorCode } from '#protocol/error.ts';
import type { RegistryCode } from '#protocol/registry.ts';
import type { Reason } from '#protocol/response.ts';
import type { TaskCode } from '#protocol/task-tree.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fromHere } from '../names/command-from-here.ts';
import { commandLines, fitLines, roomOn } from './fit-lines.ts';
import { harmless, styleFor } from './style.ts';

/** A failure of the command line itself, as printed and as in `--json`. */
export interface Problem {
  readonly code: ErrorCode | Reason | RegistryCode | TaskCode;
  readonly message: string;
  /** Suggested commands. */
  readonly next: readonly string[];
}

export function printProblem({ code, message, next }: Problem, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const headline = `${paint.red(`${symbols.bad} ${paint.bold(code)}`)}  ${harmless(message)}`;
  for (const line of fitLines(headline, roomOn(io.stderr), '  ')) io.stderr.write(`${line}\n`);
  printNext(next, io);
}

/** Prints suggested commands, one per line. */
export function printNext(commands: readonly string[], io: CliIo): void {
  if (commands.length === 0) return;
  const { paint } = styleFor(io.stderr, io);
  io.stderr.write(`\n${paint.dim(commands.length === 1 ? 'Next:' : 'Next, one of:')}\n`);
  for (const command of commands)
    for (const line of commandLines(harmless(fromHere(command, io)), roomOn(io.stderr), '  ', io))
      io.stderr.write(`${paint.cyan(line)}\n`);
}
