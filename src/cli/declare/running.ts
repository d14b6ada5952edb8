import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { NotifyOptions } from '../commands/notify.ts';
import type { InboxOptions } from '../commands/inbox.ts';
import type { ResumeOptions } from '../commands/resume.ts';
import type { RunCommandOptions } from '../commands/run.ts';
import type { SimulateOptions } from '../commands/simulate.ts';
import type { Perform } from './perform.ts';
import { declareCalls } from './calls.ts';
import { declareHost } from './host.ts';
import { declareInspect } from './inspect.ts';
import { declareUi } from './ui.ts';
import { example } from './example.ts';
import { declareRuns } from './runs.ts';

const EXIT_CODES = `
Exit code: 0 success, 1 failed, 2 not started, 3 waits for a person.
`;

const KEPT_EXIT_CODES = `
Exit code: 0 success or stopped, 1 failed, 2 not started, 3 waits for a person, 4 engine is busy.
`;

const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

export function declareRunning(program: Command, io: CliIo, perform: Perform): void {
  program.commandsGroup('Run it:');
  declareSimulate(program, io, perform);
  declareRun(program, io, perform);
  declareResume(program, io, perform);
  declareInbox(program, io, perform);
  declareNotify(program, io, perform);
  declareRuns(program, io, perform);
  declareCalls(program, io, perform);
  declareUi(program, io, perform);
  declareInspect(program, io, perform);
  declareHost(program, io, perform);
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
    .description('run a node, or from a block on, in a session with a worktree of its own')
    .option('--in <directory>', 'work in this directory as it is, without a session')
    .option('--session <title>', 'the name of the session, or of one that is ready for another run')
    .option(
      '--plan <glob>',
      'a file that it means to change (repeatable); what clashes with another session waits',
      collect,
    )
    .option('--input <text>', 'the request: text, or @file to read it from a file')
    .option('--script <file>', 'scripted answers for some blocks; all others are real')
    .option('--step', 'halt before every block')
    .option(
      '--answer <block=answer>',
      'answer a halt: retry, proceed, next, jump:<block> or abort (repeatable)',
      collect,
    )
    .option('--detach', 'leave it to the engine host, and say how to come back')
    .option('--show-prompt', 'show what models would be sent, as far as a script answers; send and execute nothing')
    .option('--print-prompts', 'print what models are sent, right before it is')
    .option('--trust', 'let this project run its commands, now and later')
    .option('--manifest <file>', 'the manifest (default: the nearest .vision/workflows.json)')
    .option('--json', 'print the Response as one JSON document')
    .option('--jsonl', 'stream the events, one JSON document a line')
    .addHelpText(
      'after',
      `${KEPT_EXIT_CODES}${example(
        'robosmith run Feature_Implement',
        'robosmith run Feature_Implement --session "Log in by mail" --plan "src/login/**" --detach',
        'robosmith run Feature_Implement --in .',
        'robosmith run Feature_Implement --in . --show-prompt',
        'robosmith run Feature_Implement --in . --input @task.md --trust --json',
        'robosmith run Feature_Implement --in . --answer Feature_Implement__Review=next',
      )}`,
    )
    .action((start: string | undefined, options: RunCommandOptions) =>
      perform(async () => (await import('../commands/run.ts')).runCommand(start, options, io)),
    );

const declareResume = (program: Command, io: CliIo, perform: Perform): Command =>
  program
    .command('resume')
    .argument('[run]', 'its id, or how that begins (default: the newest run that can go on)')
    .description('go on with a run: after a stop or a crash, or with an answer')
    .option('--retry', 'execute the block again that halted, or with which the run failed')
    .option('--proceed', 'execute it now: of a gate, of step mode; it is done: of work by hand')
    .option('--next', 'go on with the block after it')
    .option('--jump <block>', 'go on with this block')
    .option('--abort', 'end the run')
    .option('--guidance <text>', 'a word for the workers, with any of these answers')
    .option('--halt <id>', 'which halt, when several wait')
    .option('--manifest <new>', '"new": follow its manifest as it is today')
    .option('--due', 'go on with every run whose time has come')
    .option('--trust', 'let this project run its commands, now and later')
    .option('--json', 'print the Response as one JSON document')
    .option('--jsonl', 'stream the events, one JSON document a line')
    .addHelpText(
      'after',
      `${KEPT_EXIT_CODES}${example(
        'robosmith resume',
        'robosmith resume r3f2a91 --retry --guidance "the port is 8080"',
        'robosmith resume r3f2a91 --jump Feature_Implement__WriteCode',
      )}`,
    )
    .action((run: string | undefined, options: ResumeOptions) =>
      perform(async () => (await import('../commands/resume.ts')).resume(run, options, io)),
    );

const declareInbox = (program: Command, io: CliIo, perform: Perform): Command =>
  program
    .command('inbox')
    .description('what waits for you, with the commands that answer it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', example('robosmith inbox'))
    .action((options: InboxOptions) => perform(async () => (await import('../commands/inbox.ts')).inbox(options, io)));

const declareNotify = (program: Command, io: CliIo, perform: Perform): Command =>
  program
    .command('notify')
    .description('be told on the desktop or by a webhook when something waits for you')
    .option('--desktop <on|off>', 'show a notice on the desktop')
    .option('--webhook <url>', 'post each notice there as JSON: an https address, or none')
    .option('--test', 'send one now')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `\nFor all your projects; told is what waits or ends in an engine host (robosmith run --detach).\n${example('robosmith notify --desktop on --test', 'robosmith notify --webhook https://hooks.example.com/T0/B0')}`,
    )
    .action((options: NotifyOptions) =>
      perform(async () => (await import('../commands/notify.ts')).notify(options, io)),
    );
