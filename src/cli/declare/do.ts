import type { Command } from 'commander';
import type { DoOptions } from '../do/do-options.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { example, type Perform } from './declaration.ts';
import { typedAs } from './typed-as.ts';

/** Declares `do`, which needs no manifest. */
export function declareDo(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('do')
    .argument('[task]', 'What should change, in your words')
    .description('Do a task in a worktree of its own, checked by your tests')
    .option(
      '--agent <name>',
      'Who does it: claude, codex, gemini, a provider of models that you have a key for, or a command that reads a prompt',
    )
    .option('--model <name>', 'Model of the agent or provider')
    .option('--check <command>', 'Command that must pass, such as "npm test" (default: found in the project)')
    .option('--review [number]', 'Let 1 to 3 reviewers look at the change, which may send it back (default: 1)')
    .option('--issue <number...>', 'Do these issues of the remote: their text and comments, read with gh or glab')
    .option('--from <file>', 'Do each task of a list in a file, such as the items of a Markdown list')
    .option('--best-of <number>', 'Let 2 to 5 agents do the task, each in a worktree of its own, and pick one')
    .option(
      '--budget <usd>',
      'Limit in US dollars: for each execution of claude, or for all calls of a model of a provider',
    )
    .option('--yes', 'Start without a question; you agree to what is listed, now and later')
    .option('--detach', 'Work in the background, and print how to follow it')
    .option('--land', 'Land what is ready, together and tested, once everything has ended')
    .option('--show', 'Print the workflow that the task would run; starts nothing')
    .option('--save', 'Write that workflow to .vision/workflows.json, to be edited')
    .addHelpText(
      'after',
      `
An agent works on the task until the check passes, three times at most, and you decide what becomes of it.
Your checkout stays as it is until you land the work. You are asked once before anything runs.

Exit code: 0 landed or in the background, 1 failed, 2 not started, 3 waits for you.
${example(
  'robosmith do "Splitting 10.00 among three people loses a cent"',
  'robosmith do "Log in by mail" --check "npm test" --review 2',
  'robosmith do --issue 12 --agent codex --detach',
  'robosmith do --from tasks.md --land',
  'robosmith do "Make the search faster" --best-of 3',
  'robosmith do --show',
)}`,
    )
    .action((task: string | undefined, options: DoOptions, command: Command) =>
      perform(async () =>
        (await import('../commands/do.ts')).doTask(task, { ...options, typed: typedAs(command) }, io),
      ),
    );
}
