import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { SessionsOptions } from '../commands/sessions.ts';
import type { SessionsMoveOptions } from '../commands/sessions-dispose.ts';
import type { SessionsChangeOptions } from '../commands/sessions-change.ts';
import type { SessionsDiffOptions } from '../commands/sessions-diff.ts';
import type { SessionsNewOptions } from '../commands/sessions-new.ts';
import { didYouMean } from '#protocol/nearest.ts';
import { usageError } from '../terminal/usage-error.ts';
import { example, type Perform } from './declaration.ts';
import { type DeclareCommand, DISPOSITIONS, JSON_OUT, optionsOf, SESSION } from './session-dispositions.ts';

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

/** Declares `sessions`, which lists sessions, and its subcommands. */
export function declareSessions(program: Command, io: CliIo, perform: Perform): void {
  const sessions = program
    .command('sessions')
    .description('List, create, merge, hold and discard sessions (tasks with their own branch and worktree)')
    .usage('[command] [options]')
    .option('--all', 'Include sessions that are merged or discarded')
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
  throw usageError(`"${word}" is not a command of sessions.${didYouMean(word, words)}`, [
    ...meant,
    'robosmith sessions --help',
  ]);
}

const declareNew: DeclareCommand = (sessions, io, perform) => {
  sessions
    .command('new')
    .argument('<title>', 'Title of the session, one line')
    .description('Create a session (a branch and a worktree) for a node of the manifest or for your own work')
    .option('--node <node>', 'Node or block that the session runs; without it, you work in the session yourself')
    .option(
      '--plan <glob>',
      'Files that the session plans to change (repeatable); sessions with overlapping plans run one after the other',
      collect,
    )
    .option('--priority <number>', 'Priority: 1 starts first; sessions without a priority start last')
    .option('--after <session>', 'Start after this session is merged (repeatable: after all of them)', collect)
    .option('--base <branch>', 'Branch to start from and to merge into')
    .option('--attach <branch>', 'Work on this existing branch')
    .option(
      '--input <text>',
      'Request for the run: text, or @file to read it from a file; name=value for each input that the manifest declares (repeatable)',
      collect,
    )
    .option('--script <file>', 'File with scripted answers for some blocks; all other blocks execute')
    .option('--step', 'Halt before every block')
    .option('--draft', 'Create a draft that is not queued yet')
    .option('--trust', 'Trust this project: allow its commands to run, now and later')
    .option('--manifest <file>', 'Manifest file (default: the nearest .vision/workflows.json)')
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

const declareShow: DeclareCommand = (sessions, io, perform) => {
  sessions
    .command('show')
    .argument(...SESSION)
    .description('Show the worktree, changes, dependencies and history of a session')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith sessions show s3f2a91c0'))
    .action((name: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/sessions-show.ts')).sessionsShow(name, optionsOf(command) as { json?: true }, io),
      ),
    );
  sessions
    .command('diff')
    .argument('[session]', `${SESSION[1]} (default: the only active one, or the one of this folder)`)
    .argument('[file...]', 'Files or folders to show (default: all)')
    .description('Show what a session has changed since its base, including uncommitted and new files')
    .option('--stat', 'List the changed files with the number of their lines')
    .option('--web', 'Show the diff in your browser')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      example(
        'robosmith sessions diff',
        'robosmith sessions diff s3f2a91c0 --stat',
        'robosmith sessions diff s3f2a91c0 src/login.ts',
      ),
    )
    .action((name: string | undefined, files: readonly string[], _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/sessions-diff.ts')).sessionsDiff(
          name,
          files,
          optionsOf(command) as SessionsDiffOptions,
          io,
        ),
      ),
    );
  sessions
    .command('terminal')
    .argument(...SESSION)
    .description('Open your shell in the worktree of a session')
    .addHelpText('after', example('robosmith sessions terminal s3f2a91c0'))
    .action((name: string) =>
      perform(async () => (await import('../commands/sessions-terminal.ts')).sessionsTerminal(name, io)),
    );
};

const QUEUE = [
  ['submit', 'Queue a draft session'],
  ['withdraw', 'Remove a session from the queue, also while its worktree is being created'],
  ['resume', 'Continue a held session; its worktree is created again if it was removed'],
] as const;

const declareQueue: DeclareCommand = (sessions, io, perform) => {
  for (const [verb, description] of QUEUE) {
    const declared = sessions
      .command(verb)
      .argument(...SESSION)
      .description(description);
    if (verb === 'resume') declared.option('--trust', 'Trust this project: allow its commands to run, now and later');
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
    .description('Change the title, plan, priority, base or dependencies of a session')
    .option('--title <text>', 'New title')
    .option('--plan <glob>', 'New plan (repeatable); none removes all files', collect)
    .option('--priority <number>', 'New priority: 1 starts first; none removes it')
    .option('--after <session>', 'New session to wait for (repeatable); none removes all', collect)
    .option('--base <branch>', 'New branch to merge the session into')
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
