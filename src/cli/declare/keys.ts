import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { KeysAddOptions } from '../commands/keys-add.ts';
import type { KeysTestOptions } from '../commands/keys-test.ts';
import { didYouMean } from '#protocol/nearest.ts';
import type { JsonOption } from '../print/refused.ts';
import { usageError } from '../terminal/usage-error.ts';
import { ANY_PROVIDER } from '#protocol/provider.ts';
import { example, type Perform } from './declaration.ts';

const JSON_OUT = ['--json', 'Print one JSON document'] as const;
const ALIAS = ['<alias>', 'Name of the key'] as const;

/** Includes the options of `keys`: the parser assigns `--json` to it, wherever it stands. */
const optionsOf = (command: Command): unknown => command.optsWithGlobals();

/** Declares `keys`, which lists keys, and its subcommands. */
export function declareKeys(program: Command, io: CliIo, perform: Perform): void {
  const keys = program
    .command('keys')
    .description('List, add and test your API keys, and set the order in which they are used')
    .usage('[command] [options]')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `\nSecrets are kept in environment variables or in the system keychain, never in a file, and are never printed.\n${example('robosmith keys', 'robosmith keys add work --provider openai', 'robosmith keys test')}`,
    )
    .allowExcessArguments()
    .action((options: JsonOption) =>
      perform(async () => {
        checkWord(keys.args[0], keys);
        return (await import('../commands/keys.ts')).keys(options, io);
      }),
    );
  keys
    .command('list')
    .description('List your API keys (same as `robosmith keys`)')
    .addHelpText('after', example('robosmith keys list --json'))
    .action((_options: unknown, command: Command) =>
      perform(async () => (await import('../commands/keys.ts')).keys(optionsOf(command) as JsonOption, io)),
    );
  declareAdd(keys, io, perform);
  declareTest(keys, io, perform);
  declareChanges(keys, io, perform);
}

const declareAdd = (keys: Command, io: CliIo, perform: Perform): Command =>
  keys
    .command('add')
    .argument('<alias>', 'Name for the key, for example work')
    .description('Add a key to the system keychain; prompts for the secret or reads it from stdin')
    .option('--provider <name>', `Provider: ${ANY_PROVIDER} (default: the alias, if it is one of these)`)
    .option('--base-url <url>', "The only URL that the key is sent to (default: the provider's)")
    .option('--account <name>', 'Account of the key; keys of one account share rate limits and cool down together')
    .option('--pool <name>', 'Key pool that the key belongs to, as named in manifests')
    .option('--replace', 'Replace the existing key of this name')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      example(
        'robosmith keys add work --provider openai',
        'robosmith keys add box --provider openai-compatible --base-url http://localhost:8080/v1 < key.txt',
        'robosmith keys add work --replace',
      ),
    )
    .action((alias: string, _options: unknown, command: Command) =>
      perform(async () => {
        if (command.args.length > 1)
          throw usageError(
            'A key must not be given on the command line, where other users and the shell history can see it. Enter it when prompted, or pass it on stdin.',
            [`robosmith keys add ${alias}`],
          );
        return (await import('../commands/keys-add.ts')).keysAdd(alias, optionsOf(command) as KeysAddOptions, io);
      }),
    );

const declareTest = (keys: Command, io: CliIo, perform: Perform): Command =>
  keys
    .command('test')
    .argument('[alias...]', 'Names of the keys (default: all)')
    .description('Check that the providers accept your keys; free of charge')
    .option('--model <name>', 'Also request a few tokens from this model, which shows whether the account has credit')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `\nExit code: 0 all keys are accepted, 1 a key is not.\n${example('robosmith keys test', 'robosmith keys test work --model gpt-5-nano')}`,
    )
    .action((aliases: readonly string[], _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/keys-test.ts')).keysTest(aliases, optionsOf(command) as KeysTestOptions, io),
      ),
    );

function declareChanges(keys: Command, io: CliIo, perform: Perform): void {
  keys
    .command('remove')
    .argument(...ALIAS)
    .description('Remove a key from the keychain')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith keys remove work'))
    .action((alias: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/keys-change.ts')).keysRemove(alias, optionsOf(command) as JsonOption, io),
      ),
    );
  keys
    .command('order')
    .argument('[tier...]', 'Key names in order of preference; keys joined by a comma are used in turn')
    .description('Set the order of keys: the first healthy one is used; without names, all keys are used in turn')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith keys order work spare', 'robosmith keys order work,home spare'))
    .action((tiers: readonly string[], _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/keys-change.ts')).keysOrder(tiers, optionsOf(command) as JsonOption, io),
      ),
    );
  for (const verb of ['disable', 'enable'] as const)
    keys
      .command(verb)
      .argument(...ALIAS)
      .description(
        verb === 'disable'
          ? 'Stop using a key in all projects, also one from an environment variable'
          : 'Use a key again, and clear its cooling and failures in this project',
      )
      .option(...JSON_OUT)
      .addHelpText('after', example(`robosmith keys ${verb} work`))
      .action((alias: string, _options: unknown, command: Command) =>
        perform(async () =>
          (await import('../commands/keys-change.ts')).keysSwitch(alias, verb, optionsOf(command) as JsonOption, io),
        ),
      );
}

function checkWord(word: string | undefined, keys: Command): void {
  if (word === undefined) return;
  const words = keys.commands.map((command) => command.name());
  throw usageError(`"${word}" is not a command of keys.${didYouMean(word, words)}`, ['robosmith keys --help']);
}
