import type { Command } from 'commander';
import type { CliIo } from '../cli-io.ts';
import type { RunCommandOptions } from '../commands/run.ts';
import type { SimulateOptions } from '../commands/simulate.ts';
import type { Perform } from './perform.ts';
import { example } from './example.ts';

const EXIT_CODES = `
Exit code: 0 success, 1 failed, 2 not started, 3 waits for a person.
`;

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

export function declareRunning(program: Command, io: CliIo, perform: Perform): void {
  program.commandsGroup('Run it:');
  declareSimulate(program, io, perform);
  declareRun(program, io, perform);
}

const declareSimulate = (program: Command, io: CliIo, perform: Perform): Command =>
  program
    .command('simulate')
    .argument('[node]', 'a node, or a block to start from (default: the entry of the manifest)')
    .description('run on scripted answers in virtual time: no process, no network, no file')
    .option('--script <file>', 'the scripted answers (required)')
    .option('--input <text>', 'the request: text, or @file to read it from a file')
    .option('--step', 'halt before every block')
    .option(
      '--answer <block=answer>',
      'answer a halt: retry, proceed, next, jump:<block> or abort (repeatable)',
      collect,
    )
    .option('--manifest <file>', 'the manifest (default: the nearest .vision/workflows.json)')
    .option('--json', 'print the Response as one JSON document')
    .option('--jsonl', 'stream the events, one JSON document a line')
    .addHelpText(
      'after',
      `${EXIT_CODES}${example('robosmith simulate Feature_Implement --script .vision/answers.json')}`,
    )
    .action((start: string | undefined, options: SimulateOptions) =>
      perform(async () => (await import('../commands/simulate.ts')).simulateCommand(start, options, io)),
    );

const declareRun = (program: Command, io: CliIo, perform: Perform): Command =>
  program
    .command('run')
    .argument('[node or block]', 'where to start (default: the entry of the manifest)')
    .description('run a node, or from a block on, in a directory')
    .option('--in <directory>', 'work in this directory as it is (required)')
    .option('--input <text>', 'the request: text, or @file to read it from a file')
    .option('--script <file>', 'scripted answers for some blocks; all others are real')
    .option('--step', 'halt before every block')
    .option(
      '--answer <block=answer>',
      'answer a halt: retry, proceed, next, jump:<block> or abort (repeatable)',
      collect,
    )
    .option('--trust', 'let this project run its commands, now and later')
    .option('--manifest <file>', 'the manifest (default: the nearest .vision/workflows.json)')
    .option('--json', 'print the Response as one JSON document')
    .option('--jsonl', 'stream the events, one JSON document a line')
    .addHelpText(
      'after',
      `${EXIT_CODES}${example(
        'robosmith run Feature_Implement --in .',
        'robosmith run Feature_Implement --in . --input @task.md --trust --json',
        'robosmith run Feature_Implement --in . --answer Feature_Implement__Review=next',
      )}`,
    )
    .action((start: string | undefined, options: RunCommandOptions) =>
      perform(async () => (await import('../commands/run.ts')).runCommand(start, options, io)),
    );
