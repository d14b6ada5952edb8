import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { CallsCostOptions } from '../commands/calls-cost.ts';
import type { CallsDiffOptions, CallsOptions, CallsShowOptions } from '../commands/calls.ts';
import type { CallsRerunOptions } from '../commands/calls-rerun.ts';
import { didYouMean } from '#protocol/nearest.ts';
import { ANY_PROVIDER } from '#protocol/provider.ts';
import { usageError } from '../terminal/usage-error.ts';
import { example, type Perform } from './declaration.ts';

const JSON_OUT = ['--json', 'Print one JSON document'] as const;
const OF_RUN = ['--run <run>', 'Only calls of this run'] as const;
const CALL = ['<call>', 'Call id or unique prefix'] as const;

/** Includes the options of `calls`: the parser assigns `--json` and `--run` to it, wherever they stand. */
const optionsOf = (command: Command): unknown => command.optsWithGlobals();

/** Declares `calls`, which lists calls, and its subcommands. */
export function declareCalls(program: Command, io: CliIo, perform: Perform): void {
  const calls = program
    .command('calls')
    .description('Inspect model calls: requests, answers, costs')
    .usage('[command] [options]')
    .option(...OF_RUN)
    .option('--limit <number>', 'Maximum number of calls to list, newest first')
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
    .description('List model calls (same as `robosmith calls`)')
    .addHelpText('after', example('robosmith calls list --limit 20'))
    .action((_options: unknown, command: Command) =>
      perform(async () => (await import('../commands/calls.ts')).calls(optionsOf(command) as CallsOptions, io)),
    );
  calls
    .command('show')
    .argument(...CALL)
    .description('Show the prompt, the attempts and the answer of a call')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith calls show 4f21ab'))
    .action((call: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/calls.ts')).callsShow(call, optionsOf(command) as CallsShowOptions, io),
      ),
    );
  declareRerun(calls, io, perform);
  declareSums(calls, io, perform);
}

const declareRerun = (calls: Command, io: CliIo, perform: Perform): Command =>
  calls
    .command('rerun')
    .argument(...CALL)
    .description('Send a request again, unchanged or edited, and compare the answers; no run is changed')
    .option('--model <model>', 'Use another model')
    .option('--provider <provider>', `Provider: ${ANY_PROVIDER}`)
    .option('--base-url <url>', 'URL of the model server')
    .option('--temperature <number>', 'Use another temperature')
    .option('--edit', 'Edit the parts of the request in $EDITOR')
    .option('--request <file>', 'File with the edited request, in the format that --edit shows')
    .option('--set-instructions <text>', 'Replace the system message: text, or @file')
    .option('--message <text>', 'Replace the last part of the last message: text, or @file')
    .option('--times <number>', 'Number of times to send it, one after the other')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `
Each repeat is billed, and logged as a new call that refers to the original.

Exit code: 0 answered, 1 the call failed, 2 not sent, 3 no key can be used now, 4 engine is busy.
${example('robosmith calls rerun 4f21ab', 'robosmith calls rerun 4f21ab --edit', 'robosmith calls rerun 4f21ab --model gpt-5 --temperature 0 --times 3')}`,
    )
    .action((call: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/calls-rerun.ts')).callsRerun(call, optionsOf(command) as CallsRerunOptions, io),
      ),
    );

function declareSums(calls: Command, io: CliIo, perform: Perform): void {
  calls
    .command('diff')
    .argument('<call>', 'First call: id or unique prefix')
    .argument('<other>', 'Second call: id or unique prefix')
    .description('Compare the requests and answers of two calls')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith calls diff 4f21ab 90cc12'))
    .action((left: string, right: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/calls.ts')).callsDiff(left, right, optionsOf(command) as CallsDiffOptions, io),
      ),
    );
  calls
    .command('cost')
    .description('Sum tokens and costs; an unknown price is shown as unknown, never as zero')
    .option('--by <what>', 'Group by model, block, run, key or day (default: model)')
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
  throw usageError(`"${word}" is not a command of calls.${didYouMean(word, words)}`, ['robosmith calls --help']);
}
