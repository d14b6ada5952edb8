import { type Command, CommanderError } from 'commander';
import { type ErrorCode, RoboSmithError } from '#protocol/error.ts';
import type { JsonValue } from '#protocol/json.ts';
import { describeSystemError } from '#protocol/system-error.ts';
import type { CliIo } from './terminal/cli-io.ts';
import { ERROR_EXIT_CODES } from './terminal/error-exit-codes.ts';
import { commandOf, helpOf } from './command-words.ts';
import { fromHere } from './names/command-from-here.ts';
import { printJson } from './print/json.ts';
import { printProblem, type Problem } from './print/problem.ts';
import { harmless } from './print/style.ts';
import { shellWord } from '#protocol/shell-word.ts';

const DEFAULT_NEXT: Readonly<Partial<Record<ErrorCode, JsonValue>>> = {
  corrupt_state: ['robosmith doctor'],
  state_not_saved: ['robosmith doctor'],
  host_denied: ['robosmith host status'],
  host_version: ['robosmith host stop'],
  host_failed: ['robosmith host status'],
};

interface CommandLine {
  readonly argv: readonly string[];
  readonly program: Command;
  /** The folder of `-C`. */
  readonly place: string | undefined;
}

/** Reports a failure, as JSON if requested; stack traces only with `--debug`. */
export function reportFailure(error: unknown, { argv, program, place }: CommandLine, io: CliIo): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  // A group without a subcommand: its help was printed.
  if (error instanceof CommanderError && error.code === 'commander.help') return 2;
  const { next, ...what } = problemOf(error, argv, program);
  const problem = { ...what, next: next.map((command) => fromHere(command, { place })) };
  if (argv.includes('--json')) printJson({ ok: false, error: problem }, io.stdout);
  printProblem(problem, io);
  if (argv.includes('--debug')) io.stderr.write(`\n${harmless(stackOf(error))}\n`);
  if (RoboSmithError.is(error)) return ERROR_EXIT_CODES[error.code];
  return error instanceof CommanderError || describeSystemError(error) !== null ? 2 : 1;
}

function problemOf(error: unknown, argv: readonly string[], program: Command): Problem {
  const help = [helpOf(commandOf(program, argv))];
  if (RoboSmithError.is(error)) {
    const next = texts(error.data['next'] ?? DEFAULT_NEXT[error.code] ?? []);
    const isUnhelped = next.length === 0 && (error.code === 'io' || error.code === 'usage');
    return { code: error.code, message: error.message, next: isUnhelped ? help : next };
  }
  if (error instanceof CommanderError) return { code: 'usage', message: sentence(error.message), next: help };
  const system = describeSystemError(error);
  if (system !== null) return { code: 'io', message: `${system.path} can't be used: ${system.why}.`, next: help };
  const message = `RoboSmith itself failed: ${error instanceof Error ? error.message : String(error)}`;
  return {
    code: 'bug',
    message,
    next: argv.includes('--debug') ? [] : [`robosmith ${[...withoutPlace(argv), '--debug'].map(shellWord).join(' ')}`],
  };
}

/** Removes `-C <folder>`, which is added to each suggested command. */
const withoutPlace = (argv: readonly string[]): readonly string[] =>
  argv.filter((word, index) => word !== '-C' && argv[index - 1] !== '-C' && !/^-C./.test(word));

const texts = (value: JsonValue): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

function sentence(message: string): string {
  const text = message.replace(/^error: /, '').replace(/\n/g, ' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!)]$/.test(text) ? '' : '.'}`;
}

const stackOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
};
