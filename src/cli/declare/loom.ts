import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { LoomApplyOptions } from '../commands/loom-apply.ts';
import type { Perform } from './perform.ts';
import { example } from './example.ts';

const OPERATIONS = `
The file, or - for the standard input, is JSON, or a model's answer with it: a list of
  { "op": "insert", "path": "…", "anchor": "…", "content": "…", "position": "before" or "after" }
  { "op": "replaceBlock", "path": "…", "start": "…", "end": "…", "content": "…" }
  { "op": "append", "path": "…", "content": "…" }
  { "op": "replaceLine", "path": "…", "line": 12, "content": "…", "expected": "…" }
All are applied, or none. Paths are those below the current directory.

Exit code: 0 applied or already there, 1 an edit does not fit and nothing was written, 2 trouble.
`;

export function declareLoom(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('loom')
    .description('edit files by small operations')
    .usage('<command> [options]')
    .addHelpText('after', example('robosmith loom apply ops.json --dry-run'))
    .command('apply')
    .argument('<file>', 'the operations')
    .description('apply a list of edits as one transaction')
    .option('--dry-run', 'write nothing, print a unified diff')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `${OPERATIONS}${example('robosmith loom apply ops.json --dry-run', 'robosmith loom apply ops.json')}`,
    )
    .action((file: string, options: LoomApplyOptions) =>
      perform(async () => (await import('../commands/loom-apply.ts')).loomApply(file, options, io)),
    );
}
