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
import { didYouMean } from '#protocol/nearest.ts';
import { usageError } from '../terminal/usage-error.ts';
import { example, type Perform } from './declaration.ts';

const RUN = ['<run>', 'Run id or unique prefix'] as const;
const JSON_OUT = ['--json', 'Print one JSON document'] as const;

/** Declares `runs`, which lists runs, and its subcommands. */
export function declareRuns(program: Command, io: CliIo, perform: Perform): void {
  const runs = program
    .command('runs')
    .description('List, inspect and control the runs of this project')
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
  declareControl(runs, 'stop', 'Stop a run now; `robosmith resume` continues it', io, perform);
  declareControl(runs, 'pause', 'Stop a run after the current step; `robosmith resume` continues it', io, perform);
  declareControl(runs, 'cancel', 'Cancel a run for good; files stay as they are', io, perform);
  declarePrune(runs, io, perform);
}

/** Includes the options of `runs`: the parser assigns `--json` to it, wherever it stands. */
const optionsOf = (command: Command): unknown => command.optsWithGlobals();

function checkWord(word: string | undefined, runs: Command): void {
  if (word === undefined) return;
  const words = runs.commands.map((command) => command.name());
  const meant = RUN_ID.test(word) ? [`robosmith runs show ${word}`] : [];
  throw usageError(`"${word}" is not a command of runs.${didYouMean(word, words)}`, [
    ...meant,
    'robosmith runs --help',
  ]);
}

const RUN_ID = /^r[0-9a-f]+$/;

function declareLooking(runs: Command, io: CliIo, perform: Perform): void {
  runs
    .command('show')
    .argument(...RUN)
    .description('Show the path of a run, its open halts and how it ended')
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
    .description('Print the events of a run, one JSON document per line')
    .option('--follow', 'Follow new events until the run ends or Ctrl-C')
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
    .description('Replay a run from its journal, and check that it takes the same path; executes nothing')
    .option('--manifest <file>', 'Replay against this manifest, to see where the path would differ')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `\nExit code: 0 the same path, 1 another path, 2 error.\n${example('robosmith runs replay r3f2a91', 'robosmith runs replay r3f2a91 --manifest .vision/workflows.json')}`,
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
    .argument('<run@step>', 'Run and step number, as listed by `runs show`')
    .description('Start a new run from any step of an earlier run, which stays unchanged')
    .option('--no-start', 'Create the run without starting it')
    .option('--trust', 'Trust this project: allow its commands to run, now and later')
    .option('--json', 'Print the Response as one JSON document')
    .option('--jsonl', 'Stream events, one JSON document per line')
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
    .description('Remove finished runs that match all given options, with their model calls')
    .option('--older-than <age>', 'Runs that ended longer ago than this, for example 12h, 30d or 8w')
    .option('--keep <number>', 'Keep this many of the newest runs')
    .option(
      '--max-size <size>',
      'Remove the oldest runs until the rest takes at most this much space, for example 100MB',
    )
    .option('--dry-run', 'Print what would be removed and remove nothing')
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
