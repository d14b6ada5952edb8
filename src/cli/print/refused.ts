import { EXIT_CODE, type Response } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { fromHere } from '../names/command-from-here.ts';
import { printJson } from './json.ts';
import { nextCommands } from './next-commands.ts';
import { type Problem, printProblem } from './problem.ts';
import { failureMessage } from './why-it-failed.ts';

/** The output options of a command. */
export interface JsonOption {
  readonly json?: true;
}

/** Prints why a command was refused, and returns its exit code. */
export function printRefused(problem: Problem, exit: number, { json }: JsonOption, io: CliIo): number {
  const next = problem.next.map((command) => fromHere(command, io));
  if (json === true) printJson({ ok: false, error: { ...problem, next } }, io.stdout);
  printProblem(problem, io);
  return exit;
}

/** Prints a refusal that is given as a Response, and returns its exit code. */
export function printRefusal(refusal: Response, asked: JsonOption, io: CliIo): number {
  const { reason } = refusal;
  if (reason === null) return 0;
  const next = nextCommands(reason, refusal, { manifest: undefined, kept: null });
  return printRefused({ code: reason, message: failureMessage(refusal), next }, EXIT_CODE[reason], asked, io);
}
