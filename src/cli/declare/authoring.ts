import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { ExportOptions, GraphOptions } from '../commands/export.ts';
import type { DiffOptions } from '../commands/diff.ts';
import type { FmtOptions } from '../commands/fmt.ts';
import type { ManifestShowOptions } from '../commands/manifest-show.ts';
import type { CoverageOptions } from '../commands/coverage.ts';
import type { TestOptions } from '../commands/test.ts';
import type { RulesOptions } from '../commands/rules.ts';
import type { ValidateOptions } from '../commands/validate.ts';
import { example, type Perform } from './declaration.ts';
import { declareContext } from './context.ts';

const MANIFEST = ['--manifest <file>', 'Manifest file (default: the nearest .vision/workflows.json)'] as const;
const JSON_OUT = ['--json', 'Print one JSON document'] as const;

export function declareAuthoring(program: Command, io: CliIo, perform: Perform): void {
  program.commandsGroup('Write a workflow:');
  declareChecks(program, io, perform);
  declarePictures(program, io, perform);
  declareContext(program, io, perform);
}

function declareChecks(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('validate')
    .description('Check the manifest and report all problems; executes nothing')
    .option(...MANIFEST)
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `\nExit code: 0 no errors (there may be warnings), 2 errors.\n${example('robosmith validate', 'robosmith validate --manifest other.json --json')}`,
    )
    .action((options: ValidateOptions) =>
      perform(async () => (await import('../commands/validate.ts')).validate(options, io)),
    );
  program
    .command('rules')
    .description('Print each rule of the manifest: proved for all runs, or the shortest path that breaks it')
    .option('--script <number>', 'Print a script with which `simulate` runs the path that breaks this rule')
    .option(...MANIFEST)
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `\nExit code: 0 every rule is proved, 1 a rule is broken or not proved, 2 error.\n${example(
        'robosmith rules',
        'robosmith rules --script 1 > path.json && robosmith simulate --script path.json',
      )}`,
    )
    .action((options: RulesOptions) => perform(async () => (await import('../commands/rules.ts')).rules(options, io)));
  declareTests(program, io, perform);
  const manifest = program
    .command('manifest')
    .description('Inspect the manifest')
    .usage('<command> [options]')
    .addHelpText('after', example('robosmith manifest show'));
  manifest
    .command('show')
    .description('Print the inputs, nodes, blocks and transitions of the manifest')
    .option(
      '--resolved',
      'Print JSON with imports, extends, mixins and shorthand expanded, and the origin of every block',
    )
    .option(...MANIFEST)
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith manifest show', 'robosmith manifest show --resolved > resolved.json'))
    .action((options: ManifestShowOptions) =>
      perform(async () => (await import('../commands/manifest-show.ts')).manifestShow(options, io)),
    );
  program
    .command('fmt')
    .description('Format the manifest and the files that it imports; comments and line breaks stay')
    .option('--check', 'Write nothing; exit with 1 if a file is not formatted')
    .option('--short', 'Translate to the everyday form: "on", names without prefixes')
    .option('--long', 'Translate to the long form: "transitions", full names')
    .option(...MANIFEST)
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `\nExit code: 0 formatted, 1 with --check if a file is not, 2 error.\n${example('robosmith fmt', 'robosmith fmt --check', 'robosmith fmt --short')}`,
    )
    .action((options: FmtOptions) => perform(async () => (await import('../commands/fmt.ts')).fmt(options, io)));
  program
    .command('diff')
    .argument('<a>', 'First manifest file')
    .argument('<b>', 'Second manifest file')
    .description('Compare the behaviour of two manifests')
    .option('--markdown', 'Write Markdown for a pull request')
    .option('--html', 'Write one page of HTML')
    .option('--out <file>', 'Write to this file instead of stdout')
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `\nExit code: 0 same behaviour, 1 different, 2 error.\n${example(
        'robosmith diff .vision/workflows.json other.json',
        'robosmith diff old.json .vision/workflows.json --markdown --out diff.md',
      )}`,
    )
    .action((a: string, b: string, options: DiffOptions) =>
      perform(async () => (await import('../commands/diff.ts')).diff(a, b, options, io)),
    );
}

function declareTests(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('test')
    .argument('[files...]', 'Tests: scripts with "@test" (default: tests/*.json beside the manifest)')
    .description('Simulate the tests of the workflow, and compare path and end with what they expect')
    .option(...MANIFEST)
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `\nExit code: 0 all tests pass, 1 a test fails, 2 error.\n${example('robosmith test', 'robosmith test .vision/tests/red-tests-halt.json')}`,
    )
    .action((files: readonly string[], options: TestOptions) =>
      perform(async () => (await import('../commands/test.ts')).test(files, options, io)),
    );
  program
    .command('coverage')
    .description('Report the rows of the workflow that no test takes')
    .option('--write', 'Write a test for each of these rows, with the shortest script that takes it')
    .option(...MANIFEST)
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `\nExit code: 0 a test takes each row, 1 a row is left, 2 error.\n${example('robosmith coverage', 'robosmith coverage --write')}`,
    )
    .action((options: CoverageOptions) =>
      perform(async () => (await import('../commands/coverage.ts')).coverage(options, io)),
    );
}

function declarePictures(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('graph')
    .description('Draw the workflow')
    .option('--format <format>', 'Output format: mermaid, dot, svg or html', 'mermaid')
    .option('--out <file>', 'Write to this file instead of stdout')
    .option(...MANIFEST)
    .addHelpText('after', example('robosmith graph', 'robosmith graph --format html --out workflow.html'))
    .action((options: GraphOptions) => perform(async () => (await import('../commands/export.ts')).graph(options, io)));
  program
    .command('export')
    .description('Export the workflow as XState machines or as a diagram; the output is deterministic')
    .option('--format <format>', 'Output format: json, ts, mermaid, dot, scxml, svg or html')
    .option('--out <file>', 'Write to this file instead of stdout')
    .option(
      '--review <folder>',
      'Write a bundle for reviewers to this folder: diagrams, signals, loops, permissions, costs',
    )
    .option(...MANIFEST)
    .addHelpText(
      'after',
      example(
        'robosmith export --format json',
        'robosmith export --format html --out workflow.html',
        'robosmith export --review docs/workflow',
      ),
    )
    .action((options: ExportOptions) =>
      perform(async () => (await import('../commands/export.ts')).exportGraph(options, io)),
    );
}
