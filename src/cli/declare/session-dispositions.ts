import type { Command } from 'commander';
import type {
  SessionsDiscardOptions,
  SessionsHoldOptions,
  SessionsMergeOptions,
  SessionsPushOptions,
} from '../commands/sessions-dispose.ts';
import type { SessionsUpdateOptions } from '../commands/sessions-update.ts';
import { example, type Perform } from './declaration.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** Arguments and options that the commands for one session share. */
export const SESSION = ['<session>', 'Session: id, unique prefix of it, title or branch'] as const;

export const JSON_OUT = ['--json', 'Print one JSON document'] as const;

/** Includes the options of `sessions`: the parser assigns `--json` to it, wherever it stands. */
export const optionsOf = (command: Command): unknown => command.optsWithGlobals();

export type DeclareCommand = (sessions: Command, io: CliIo, perform: Perform) => void;

const declareMerge: DeclareCommand = (sessions, io, perform) => {
  sessions
    .command('merge')
    .argument(...SESSION)
    .description('Merge the session into its base branch; changes nothing if there are conflicts')
    .option('--strategy <how>', 'Merge strategy: squash (default), merge or rebase')
    .option('--message <text>', 'Commit message (default: the title)')
    .option('--verify', "Run the project's tests on the merged files first (default: only if the base has changed)")
    .option('--no-verify', 'Merge without running the tests')
    .option('--yes', 'Do not ask for confirmation on a terminal')
    .option('--trust', 'Trust the manifest to run its tests, set-up and teardown for that, now and later')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith sessions merge s3f2a91c0', 'robosmith sessions merge s3f2 --verify'))
    .action((name: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/sessions-dispose.ts')).sessionsMerge(
          name,
          optionsOf(command) as SessionsMergeOptions,
          io,
        ),
      ),
    );
};

const declareUpdate: DeclareCommand = (sessions, io, perform) => {
  sessions
    .command('update')
    .argument(...SESSION)
    .description('Update the session from its base branch; run it again after resolving conflicts')
    .option('--resolve [node]', "Run a node to resolve the conflicts (default: the manifest's worktree.resolver)")
    .option('--detach', 'With --resolve: run it in the background')
    .option('--trust', 'Trust this project: allow its commands to run, now and later')
    .option('--abort', 'Undo an update that has conflicts')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      example(
        'robosmith sessions update s3f2a91c0',
        'robosmith sessions update s3f2 --resolve Resolve',
        'robosmith sessions update s3f2 --abort',
      ),
    )
    .action((name: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/sessions-update.ts')).sessionsUpdate(
          name,
          optionsOf(command) as SessionsUpdateOptions,
          io,
        ),
      ),
    );
};

const declarePush: DeclareCommand = (sessions, io, perform) => {
  sessions
    .command('push')
    .argument(...SESSION)
    .description('Push the branch of a session, and print the URL that opens a pull request')
    .option('--pr', 'Open the pull request with gh or glab, if installed')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith sessions push s3f2a91c0', 'robosmith sessions push s3f2 --pr'))
    .action((name: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/sessions-dispose.ts')).sessionsPush(
          name,
          optionsOf(command) as SessionsPushOptions,
          io,
        ),
      ),
    );
};

const declareRestore: DeclareCommand = (sessions, io, perform) => {
  sessions
    .command('restore')
    .argument(...SESSION)
    .description('Restore a discarded session, including uncommitted changes')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith sessions restore s3f2a91c0'))
    .action((name: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/sessions-dispose.ts')).sessionsRestore(
          name,
          optionsOf(command) as { json?: true },
          io,
        ),
      ),
    );
};

const declareHold: DeclareCommand = (sessions, io, perform) => {
  sessions
    .command('hold')
    .argument(...SESSION)
    .description(
      'Put a session on hold; the state of its run is committed to its branch, to continue here or elsewhere',
    )
    .option('--release', 'Also remove the worktree to free disk space')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith sessions hold s3f2a91c0 --release'))
    .action((name: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/sessions-dispose.ts')).sessionsHold(
          name,
          optionsOf(command) as SessionsHoldOptions,
          io,
        ),
      ),
    );
};

const declareDiscard: DeclareCommand = (sessions, io, perform) => {
  sessions
    .command('discard')
    .argument(...SESSION)
    .description('Remove the worktree and branch of a session; `sessions restore` works for 30 days')
    .option('--yes', 'Do not ask for confirmation')
    .option('--force', 'Discard even if the work exists nowhere else; do not ask')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith sessions discard s3f2a91c0', 'robosmith sessions discard s3f2 --force'))
    .action((name: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/sessions-dispose.ts')).sessionsDiscard(
          name,
          optionsOf(command) as SessionsDiscardOptions,
          io,
        ),
      ),
    );
};

/** The commands for the outcomes of a session, in the order of the help. */
export const DISPOSITIONS: readonly DeclareCommand[] = [
  declareMerge,
  declareUpdate,
  declarePush,
  declareRestore,
  declareHold,
  declareDiscard,
];
