import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { KeysAddOptions } from '../commands/keys-add.ts';
import type { KeysTestOptions } from '../commands/keys-test.ts';
import { didYouMean } from '../names/nearest.ts';
import type { Asked } from '../print/refused.ts';
import { usageError } from '../terminal/usage-error.ts';
import { example } from './example.ts';
import type { Perform } from './perform.ts';

const JSON_OUT = ['--json', 'print one JSON document'] as const;
const ALIAS = ['<alias>', 'its name'] as const;

/** The parser takes `--json` for that of `keys`, wherever it stands. */
const optionsOf = (command: Command): unknown => command.optsWithGlobals();

/** `keys` lists them; the words after it are about one or all of them. */
export function declareKeys(program: Command, io: CliIo, perform: Perform): void {
  const keys = program
    .command('keys')
    .description('list your API keys, add one, test them, say in which order they are used')
    .usage('[command] [options]')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `\nSecrets are in environment variables or in the keychain of the system, never in a file. Nothing shows them.\n${example('robosmith keys', 'robosmith keys add work --provider openai', 'robosmith keys test')}`,
    )
    .allowExcessArguments()
    .action((options: Asked) =>
      perform(async () => {
        checkWord(keys.args[0], keys);
        return (await import('../commands/keys.ts')).keys(options, io);
      }),
    );
  keys
    .command('list')
    .description('the same as keys alone')
    .addHelpText('after', example('robosmith keys list --json'))
    .action((_options: unknown, command: Command) =>
      perform(async () => (await import('../commands/keys.ts')).keys(optionsOf(command) as Asked, io)),
    );
  declareAdd(keys, io, perform);
  declareTest(keys, io, perform);
  declareChanges(keys, io, perform);
}

const declareAdd = (keys: Command, io: CliIo, perform: Perform): Command =>
  keys
    .command('add')
    .argument('<alias>', 'a name for it, for example work')
    .description('put a key into the keychain; it is asked for, or read from stdin')
    .option('--provider <name>', 'openai, anthropic, google or openai-compatible (default: the name, where it is one)')
    .option('--base-url <url>', 'the only address that it is sent to (default: that of the provider)')
    .option('--account <name>', 'keys of one account share its limits, and rest together')
    .option('--pool <name>', 'a pool of manifests that it belongs to')
    .option('--replace', 'over the key of that name')
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
            'A key is no word of the command: there it can be seen by others, and stays in the history of your shell. It is asked for, or read from stdin.',
            [`robosmith keys add ${alias}`],
          );
        return (await import('../commands/keys-add.ts')).keysAdd(alias, optionsOf(command) as KeysAddOptions, io);
      }),
    );

const declareTest = (keys: Command, io: CliIo, perform: Perform): Command =>
  keys
    .command('test')
    .argument('[alias...]', 'their names (default: all)')
    .description('ask the providers whether they take your keys; that costs nothing')
    .option('--model <name>', 'ask this model for a few tokens: tells also whether there is money left')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `\nExit code: 0 all are good, 1 one is not.\n${example('robosmith keys test', 'robosmith keys test work --model gpt-5-nano')}`,
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
    .description('take a key out of the keychain')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith keys remove work'))
    .action((alias: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/keys-change.ts')).keysRemove(alias, optionsOf(command) as Asked, io),
      ),
    );
  keys
    .command('order')
    .argument('[tier...]', 'names; those joined by a comma take turns')
    .description('use the first of these while it is healthy, then the next; without a name, all take turns')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith keys order work spare', 'robosmith keys order work,home spare'))
    .action((tiers: readonly string[], _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/keys-change.ts')).keysOrder(tiers, optionsOf(command) as Asked, io),
      ),
    );
  for (const verb of ['disable', 'enable'] as const)
    keys
      .command(verb)
      .argument(...ALIAS)
      .description(
        verb === 'disable'
          ? 'use this key in no project, also one of the environment'
          : 'use it again; forgets what was held against it in this project',
      )
      .option(...JSON_OUT)
      .addHelpText('after', example(`robosmith keys ${verb} work`))
      .action((alias: string, _options: unknown, command: Command) =>
        perform(async () =>
          (await import('../commands/keys-change.ts')).keysSwitch(alias, verb, optionsOf(command) as Asked, io),
        ),
      );
}

function checkWord(word: string | undefined, keys: Command): void {
  if (word === undefined) return;
  const words = keys.commands.map((command) => command.name());
  throw usageError(`"${word}" is no command of keys.${didYouMean(word, words)}`, ['robosmith keys --help']);
}
