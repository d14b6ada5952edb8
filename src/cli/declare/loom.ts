import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { LoomApplyOptions } from '../commands/loom-apply.ts';
import { example, type Perform } from './declaration.ts';

const OPERATIONS = `
The input is JSON, or a model's answer that contains it: a list of
  { "op": "insert", "path": "…", "anchor": "…", "content": "…", "position": "before" or "after" }
  { "op": "replaceBlock", "path": "…", "start": "…", "end": "…", "content": "…" }
  { "op": "append", "path": "…", "content": "…" }
  { "op": "replaceLine", "path": "…", "line": 12, "content": "…", "expected": "…" }
An empty "start" is the beginning of the file, an empty "end" its end.
Either all edits are applied or none. Paths are relative to the current directory, and must be inside it.

Exit code: 0 applied or already there, 1 an edit does not fit (nothing was written), 2 error.
`;

export function declareLoom(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('loom')
    .description('Edit files with small operations')
    .usage('<command> [options]')
    .addHelpText('after', example('robosmith loom apply ops.json --dry-run'))
    .command('apply')
    .argument('<file>', 'JSON file with the edits, or - for stdin')
    .description('Apply a list of edits as one transaction')
    .option('--dry-run', 'Print a unified diff and write nothing')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      `${OPERATIONS}${example('robosmith loom apply ops.json --dry-run', 'robosmith loom apply ops.json')}`,
    )
    .action((file: string, options: LoomApplyOptions) =>
      perform(async () => (await import('../commands/loom-apply.ts')).loomApply(file, options, io)),
    );
}
