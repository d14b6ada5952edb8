import type { Command } from 'commander';
import type { CliIo } from '../cli-io.ts';
import type { CallsCostOptions } from '../commands/calls-cost.ts';
import type { CallsDiffOptions } from '../commands/calls-diff.ts';
import type { CallsShowOptions } from '../commands/calls-show.ts';
import type { CallsOptions } from '../commands/calls.ts';
import { didYouMean } from '../nearest.ts';
import { usageError } from '../usage-error.ts';
import { example } from './example.ts';
import type { Perform } from './perform.ts';

const JSON_OUT = ['--json', 'print one JSON document'] as const;
const OF_RUN = ['--run <run>', 'only those of this run'] as const;
const CALL = ['<call>', 'its id, or how that begins'] as const;

/** The parser takes `--json` and `--run` for those of `calls`, wherever they stand. */
const optionsOf = (command: Command): unknown => command.optsWithGlobals();

/** `calls` lists them; the words after it are about one or two of them, or their sum. */
export function declareCalls(program: Command, io: CliIo, perform: Perform): void {
  const calls = program
    .command('calls')
    .description('list the calls of models in .vision/logs, look into one, compare two, sum their cost')
    .usage('[command] [options]')
    .option(...OF_RUN)
    .option('--limit <number>', 'at most so many, the newest')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith calls', 'robosmith calls show 4f21ab', 'robosmith calls --run r3f2a91'))
    .allowExcessArguments()
    .action((options: CallsOptions) =>
      perform(async () => {
        checkWord(calls.args[0], calls);
        return (await import('../commands/calls.ts')).calls(options, io);
      }),
    );
  calls
    .command('list')
    .description('the same as calls alone')
    .addHelpText('after', example('robosmith calls list --limit 20'))
    .action((_options: unknown, command: Command) =>
      perform(async () => (await import('../commands/calls.ts')).calls(optionsOf(command) as CallsOptions, io)),
    );
  calls
    .command('show')
    .argument(...CALL)
    .description('its prompt in segments, its attempts, its answer')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith calls show 4f21ab'))
    .action((call: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/calls-show.ts')).callsShow(call, optionsOf(command) as CallsShowOptions, io),
      ),
    );
  declareSums(calls, io, perform);
}

function declareSums(calls: Command, io: CliIo, perform: Perform): void {
  calls
    .command('diff')
    .argument('<call>', 'on the left: its id, or how that begins')
    .argument('<other>', 'on the right')
    .description('two calls side by side: what was asked differently, and what came of it')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith calls diff 4f21ab 90cc12'))
    .action((left: string, right: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/calls-diff.ts')).callsDiff(left, right, optionsOf(command) as CallsDiffOptions, io),
      ),
    );
  calls
    .command('cost')
    .description('tokens and money; a price that nobody knows is never zero')
    .option('--by <what>', 'model, block, run, key or day (default: model)')
    .option(...OF_RUN)
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith calls cost', 'robosmith calls cost --by block --run r3f2a91'))
    .action((_options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/calls-cost.ts')).callsCost(optionsOf(command) as CallsCostOptions, io),
      ),
    );
}

function checkWord(word: string | undefined, calls: Command): void {
  if (word === undefined) return;
  const words = calls.commands.map((command) => command.name());
  throw usageError(`"${word}" is no command of calls.${didYouMean(word, words)}`, ['robosmith calls --help']);
}
