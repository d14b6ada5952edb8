import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { SessionsOptions } from '../commands/sessions.ts';
import type { SessionsMoveOptions } from '../commands/sessions-dispose.ts';
import type { SessionsChangeOptions } from '../commands/sessions-change.ts';
import type { SessionsNewOptions } from '../commands/sessions-new.ts';
import { didYouMean } from '../names/nearest.ts';
import { usageError } from '../terminal/usage-error.ts';
import { example } from './example.ts';
import type { Perform } from './perform.ts';
import { type Declared, JSON_OUT, optionsOf, SESSION } from './session-command.ts';
import { DISPOSITIONS } from './session-dispositions.ts';

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

/** `sessions` lists them; the words after it are about one of them. */
export function declareSessions(program: Command, io: CliIo, perform: Perform): void {
  const sessions = program
    .command('sessions')
    .description('tasks in worktrees of their own: list them, make, merge, hold and discard them')
    .usage('[command] [options]')
    .option('--all', 'also those that are merged or discarded')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith sessions', 'robosmith sessions new "Fix the login" --node Fix'))
    .allowExcessArguments()
    .action((options: SessionsOptions) =>
      perform(async () => {
        checkWord(sessions.args[0], sessions);
        return (await import('../commands/sessions.ts')).sessions(options, io);
      }),
    );
  for (const declare of [declareNew, declareShow, ...DISPOSITIONS, declareQueue]) declare(sessions, io, perform);
}

function checkWord(word: string | undefined, sessions: Command): void {
  if (word === undefined) return;
  const words = sessions.commands.map((command) => command.name());
  const meant = /^s[0-9a-f]+$/.test(word) ? [`robosmith sessions show ${word}`] : [];
  throw usageError(`"${word}" is no command of sessions.${didYouMean(word, words)}`, [
    ...meant,
    'robosmith sessions --help',
  ]);
}

const declareNew: Declared = (sessions, io, perform) => {
  sessions
    .command('new')
    .argument('<title>', 'what it is about, in a line')
    .description('make a session: a branch and a worktree, for a node of the manifest or for your own work')
    .option('--node <node>', 'what it runs: a node or a block; without it you work in it yourself')
    .option(
      '--plan <glob>',
      'a file that it means to change (repeatable); what clashes with another session waits',
      collect,
    )
    .option('--priority <number>', '1 goes first; without it, after all that have one')
    .option('--after <session>', 'start once this one is merged (repeatable: all of them)', collect)
    .option('--base <branch>', 'start from this branch, and be merged into it')
    .option('--attach <branch>', 'work on this branch, which is there already')
    .option('--input <text>', 'the request: text, or @file to read it from a file')
    .option('--script <file>', 'scripted answers for some blocks; all others are real')
    .option('--step', 'halt before every block')
    .option('--draft', 'do not queue it yet')
    .option('--trust', 'let this project run its commands, now and later')
    .option('--manifest <file>', 'the manifest (default: the nearest .vision/workflows.json)')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      example(
        'robosmith sessions new "Fix the login" --node Fix --plan "src/login/**"',
        'robosmith sessions new "Try something" --priority 1',
      ),
    )
    .action((title: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/sessions-new.ts')).sessionsNew(title, optionsOf(command) as SessionsNewOptions, io),
      ),
    );
};

const declareShow: Declared = (sessions, io, perform) => {
  sessions
    .command('show')
    .argument(...SESSION)
    .description('where it works, what it changes, whom it waits for, its history')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith sessions show s3f2a91c0'))
    .action((name: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/sessions-show.ts')).sessionsShow(name, optionsOf(command) as { json?: true }, io),
      ),
    );
  sessions
    .command('terminal')
    .argument(...SESSION)
    .description('open your shell in its worktree')
    .addHelpText('after', example('robosmith sessions terminal s3f2a91c0'))
    .action((name: string) =>
      perform(async () => (await import('../commands/sessions-terminal.ts')).sessionsTerminal(name, io)),
    );
};

const QUEUE = [
  ['submit', 'queue a draft'],
  ['withdraw', 'take one out of the queue, also while its worktree is being made'],
  ['resume', 'go on with one that is held; its worktree is made again if it is gone'],
] as const;

const declareQueue: Declared = (sessions, io, perform) => {
  for (const [verb, description] of QUEUE) {
    const declared = sessions
      .command(verb)
      .argument(...SESSION)
      .description(description);
    if (verb === 'resume') declared.option('--trust', 'let this project run its commands, now and later');
    declared
      .option(...JSON_OUT)
      .addHelpText('after', example(`robosmith sessions ${verb} s3f2a91c0`))
      .action((name: string, _options: unknown, command: Command) =>
        perform(async () =>
          (await import('../commands/sessions-dispose.ts')).sessionsMove(
            verb,
            name,
            optionsOf(command) as SessionsMoveOptions,
            io,
          ),
        ),
      );
  }
  sessions
    .command('change')
    .argument(...SESSION)
    .description('change its title, plan, priority, base or what it waits for')
    .option('--title <text>', 'another title')
    .option('--plan <glob>', 'its plan from now on (repeatable); none takes all away', collect)
    .option('--priority <number>', '1 goes first; none takes it away')
    .option('--after <session>', 'what it waits for from now on (repeatable); none takes all away', collect)
    .option('--base <branch>', 'merge it into this branch')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith sessions change s3f2a91c0 --priority 1 --plan "src/**" --plan README.md'))
    .action((name: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/sessions-change.ts')).sessionsChange(
          name,
          optionsOf(command) as SessionsChangeOptions,
          io,
        ),
      ),
    );
};
