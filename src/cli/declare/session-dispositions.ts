import type { Command } from 'commander';
import type {
  SessionsDiscardOptions,
  SessionsHoldOptions,
  SessionsMergeOptions,
  SessionsPushOptions,
} from '../commands/sessions-dispose.ts';
import type { SessionsUpdateOptions } from '../commands/sessions-update.ts';
import { example } from './example.ts';
import { type Declared, JSON_OUT, optionsOf, SESSION } from './session-command.ts';

const declareMerge: Declared = (sessions, io, perform) => {
  sessions
    .command('merge')
    .argument(...SESSION)
    .description('merge its work into its base; in conflict, nothing changes')
    .option('--strategy <how>', 'squash (default), merge or rebase')
    .option('--message <text>', 'of the commit (default: the title)')
    .option('--verify', "run the project's tests on the merged files first; by default where the base has moved on")
    .option('--no-verify', 'merge without the tests')
    .option('--trust', 'let the manifest run its tests and set-up for that, now and later')
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

const declareUpdate: Declared = (sessions, io, perform) => {
  sessions
    .command('update')
    .argument(...SESSION)
    .description('bring a base that has moved on into it; again, once conflicts are resolved')
    .option('--resolve [node]', "run a node on what is in conflict (default: the manifest's worktree.resolver)")
    .option('--detach', 'with --resolve: do not wait until it has ended')
    .option('--trust', 'let this project run its commands, now and later')
    .option('--abort', 'go back to before an update that is in conflict')
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

const declarePush: Declared = (sessions, io, perform) => {
  sessions
    .command('push')
    .argument(...SESSION)
    .description('push its branch, and tell the page that opens a pull request')
    .option('--pr', 'open the pull request, with gh or glab where they are installed')
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

const declareRestore: Declared = (sessions, io, perform) => {
  sessions
    .command('restore')
    .argument(...SESSION)
    .description('bring a discarded one back, with what was not committed')
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

const declareHold: Declared = (sessions, io, perform) => {
  sessions
    .command('hold')
    .argument(...SESSION)
    .description('set it aside; the state of its run goes onto its branch, to go on here or elsewhere')
    .option('--release', 'also remove its worktree, to free the disk')
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

const declareDiscard: Declared = (sessions, io, perform) => {
  sessions
    .command('discard')
    .argument(...SESSION)
    .description('remove its worktree and branch; for 30 days restore brings them back')
    .option('--yes', 'do not ask')
    .option('--force', 'also when its work is nowhere else; do not ask')
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

/** What becomes of a session's work (spec/worktrees.md "Disposition"), in the order of the help. */
export const DISPOSITIONS: readonly Declared[] = [
  declareMerge,
  declareUpdate,
  declarePush,
  declareRestore,
  declareHold,
  declareDiscard,
];
