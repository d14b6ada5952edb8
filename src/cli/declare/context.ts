import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { ContextOptions } from '../commands/context.ts';
import { example, type Perform } from './declaration.ts';

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

export function declareContext(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('context')
    .argument('[slice]', 'Name in context_slices (default: list them)')
    .description('Run a context slice of the manifest and show what a block would see')
    .option('--in <folder>', 'Worktree to ask about (default: the current folder)')
    .option('--artifact <file>', 'Value of ${artifact}: a path or glob (repeatable)', collect)
    .option('--export <key=value>', 'Value of ${exports.<key>} (repeatable)', collect)
    .option('--task-title <text>', 'Value of ${task.title}')
    .option('--manifest <file>', 'Manifest file (default: the nearest .vision/workflows.json)')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      `\nExit code: 0 done, 1 the slice failed, 2 not started.\n${example('robosmith context', 'robosmith context Testing_Context --artifact src/login.ts')}`,
    )
    .action((slice: string | undefined, options: ContextOptions) =>
      perform(async () => (await import('../commands/context.ts')).context(slice, options, io)),
    );
  program
    .command('mcp')
    .argument('[folder]', 'Worktree to analyse (default: the current folder)')
    .description('Serve code analysis (roberto-mcp) to an MCP client on stdin and stdout')
    .addHelpText('after', example('robosmith mcp', 'claude mcp add code -- robosmith mcp /path/of/the/worktree'))
    .action((folder: string | undefined) => perform(async () => (await import('../commands/mcp.ts')).mcp(folder, io)));
}
