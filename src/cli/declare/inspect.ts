import type { Command } from 'commander';
import type { InspectOptions } from '../commands/inspect.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { example, type Perform } from './declaration.ts';

export function declareInspect(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('inspect')
    .description('Show the live actors of the engine in the browser: runs, sessions, keys, the queue')
    .argument('[recording]', 'Show this recording instead of live actors')
    .option('--record <file>', 'Also write all events to a new file, one JSON object per line')
    .option('--programs', 'Show other XState programs only, without a project')
    .option('--hosted', 'Use the inspector of stately.ai instead of the local page')
    .option('--no-open', 'Print the URL without opening a browser')
    .option('--port <number>', 'Port on 127.0.0.1 (default: any free port)')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      `\nSecrets, prompts and answers are left out. Nothing leaves this machine without --hosted.\n${example(
        'robosmith inspect',
        'robosmith inspect --record run.inspection.jsonl',
        'robosmith inspect run.inspection.jsonl',
      )}`,
    )
    .action((recording: string | undefined, options: InspectOptions) =>
      perform(async () => (await import('../commands/inspect.ts')).inspect(recording, options, io)),
    );
}
