import type { Command } from 'commander';
import type { ControlVerb } from '#protocol/control.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { RunsControlOptions } from '../commands/runs-control.ts';
import type { RunsEventsOptions } from '../commands/runs-events.ts';
import type { RunsForkOptions } from '../commands/runs-fork.ts';
import type { RunsPruneOptions } from '../commands/runs-prune.ts';
import type { RunsReplayOptions } from '../commands/runs-replay.ts';
import type { RunsShowOptions } from '../commands/runs-show.ts';
import type { RunsOptions } from '../commands/runs.ts';
import { didYouMean } from '../names/nearest.ts';
import { usageError } from '../terminal/usage-error.ts';
import type { Perform } from './perform.ts';
import { example } from './example.ts';

const RUN = ['<run>', 'its id, or how that begins'] as const;
const JSON_OUT = ['--json', 'print one JSON document'] as const;

/** `runs` lists them; the words after it are about one of them. */
export function declareRuns(program: Command, io: CliIo, perform: Perform): void {
  const runs = program
    .command('runs')
    .description('list the runs of this project, look into one, steer one')
    .usage('[command] [options]')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith runs', 'robosmith runs show r3f2a91', 'robosmith runs --json'))
    .allowExcessArguments()
    .action((options: RunsOptions) =>
      perform(async () => {
        checkWord(runs.args[0], runs);
        return (await import('../commands/runs.ts')).runs(options, io);
      }),
    );
  declareLooking(runs, io, perform);
  declareFork(runs, io, perform);
  declareControl(runs, 'stop', 'stop it now; `robosmith resume` goes on with it', io, perform);
  declareControl(runs, 'pause', 'stop it after the step under way; `robosmith resume` goes on with it', io, perform);
  declareControl(runs, 'cancel', 'end it for good; files stay as they are', io, perform);
  declarePrune(runs, io, perform);
}

/** The parser takes `--json` for that of `runs`, wherever it stands. */
const optionsOf = (command: Command): unknown => command.optsWithGlobals();

function checkWord(word: string | undefined, runs: Command): void {
  if (word === undefined) return;
  const words = runs.commands.map((command) => command.name());
  const meant = RUN_ID.test(word) ? [`robosmith runs show ${word}`] : [];
  throw usageError(`"${word}" is no command of runs.${didYouMean(word, words)}`, [...meant, 'robosmith runs --help']);
}

const RUN_ID = /^r[0-9a-f]+$/;

function declareLooking(runs: Command, io: CliIo, perform: Perform): void {
  runs
    .command('show')
    .argument(...RUN)
    .description('its path, what it waits for, how it ended')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith runs show r3f2a91'))
    .action((run: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/runs-show.ts')).runsShow(run, optionsOf(command) as RunsShowOptions, io),
      ),
    );
  runs
    .command('events')
    .argument(...RUN)
    .description('what happened in it, one JSON document a line')
    .option('--follow', 'go on until the run has ended, or Ctrl-C')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith runs events r3f2a91 --follow'))
    .action((run: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/runs-events.ts')).runsEvents(run, optionsOf(command) as RunsEventsOptions, io),
      ),
    );
  runs
    .command('replay')
    .argument(...RUN)
    .description('take its way again from the journal: does it come out the same? Nothing is executed')
    .option('--manifest <file>', 'with another manifest: where would the path part?')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `\nExit code: 0 the same path, 1 another path, 2 trouble.\n${example('robosmith runs replay r3f2a91', 'robosmith runs replay r3f2a91 --manifest .vision/workflows.json')}`,
    )
    .action((run: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/runs-replay.ts')).runsReplay(run, optionsOf(command) as RunsReplayOptions, io),
      ),
    );
}

const declareFork = (runs: Command, io: CliIo, perform: Perform): Command =>
  runs
    .command('fork')
    .argument('<run@step>', 'a run, and the number of a step as `runs show` has it')
    .description('start a new run from any step of an old one; the old one stays as it is')
    .option('--no-start', 'only make it')
    .option('--trust', 'let this project run its commands, now and later')
    .option('--json', 'print the Response as one JSON document')
    .option('--jsonl', 'stream the events, one JSON document a line')
    .addHelpText('after', example('robosmith runs fork r3f2a91@4', 'robosmith runs fork r3f2a91@4 --no-start'))
    .action((step: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/runs-fork.ts')).runsFork(step, optionsOf(command) as RunsForkOptions, io),
      ),
    );

const declareControl = (runs: Command, verb: ControlVerb, description: string, io: CliIo, perform: Perform): Command =>
  runs
    .command(verb)
    .argument(...RUN)
    .description(description)
    .option(...JSON_OUT)
    .addHelpText('after', example(`robosmith runs ${verb} r3f2a91`))
    .action((run: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/runs-control.ts')).runsControl(
          verb,
          run,
          optionsOf(command) as RunsControlOptions,
          io,
        ),
      ),
    );

const declarePrune = (runs: Command, io: CliIo, perform: Perform): Command =>
  runs
    .command('prune')
    .description('remove runs that are over and match all that is given, with their calls of models')
    .option('--older-than <age>', 'that ended longer ago: 12h, 30d, 8w')
    .option('--keep <number>', 'all but so many of the newest')
    .option('--max-size <size>', 'the oldest, until all together are at most so large: 100MB')
    .option('--dry-run', 'only say what would go')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      example('robosmith runs prune --older-than 30d --dry-run', 'robosmith runs prune --keep 100 --max-size 500MB'),
    )
    .action((_options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/runs-prune.ts')).runsPrune(optionsOf(command) as RunsPruneOptions, io),
      ),
    );
