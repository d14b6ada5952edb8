import type { Command } from 'commander';
import { APPROVALS } from '#protocol/approvals.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { NotifyOptions } from '../commands/notify.ts';
import type { InboxOptions } from '../commands/inbox.ts';
import type { ResumeOptions } from '../commands/resume.ts';
import type { RunCommandOptions } from '../commands/run.ts';
import type { SimulateOptions } from '../commands/simulate.ts';
import { example, type Perform } from './declaration.ts';
import { declareCalls } from './calls.ts';
import { declareFind } from './find.ts';
import { declareHost } from './host.ts';
import { declareInspect } from './inspect.ts';
import { declareRuns } from './runs.ts';
import { typedAs } from './typed-as.ts';
import type { UiOptions } from '../commands/ui.ts';

function declareUi(program: Command, io: CliIo, perform: Perform): void {
  program
    .command('ui')
    .description('Open Mission Control in the browser: runs, sessions, and what is waiting for you')
    .option('--no-open', 'Print the URL without opening a browser')
    .option('--port <number>', 'Port on 127.0.0.1 (default: any free port)')
    .option('--trust', 'Trust this project: allow its commands to run, now and later')
    .option('--json', 'Print one JSON document')
    .addHelpText('after', example('robosmith ui', 'robosmith ui --no-open'))
    .action((options: UiOptions) => perform(async () => (await import('../commands/ui.ts')).ui(options, io)));
}

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
  declareFind(program, io, perform);
  declareUi(program, io, perform);
  declareInspect(program, io, perform);
  declareHost(program, io, perform);
}

const declareSimulate = (program: Command, io: CliIo, perform: Perform): Command =>
  program
    .command('simulate')
    .argument('[node]', 'Node to run, or block to start from (default: the entry of the manifest)')
    .description('Run with scripted answers in virtual time; starts no processes, uses no network, writes no files')
    .option('--script <file>', 'File with the scripted answers (required)')
    .option(
      '--input <text>',
      'Request for the run: text, or @file to read it from a file; name=value for each input that the manifest declares (repeatable)',
      collect,
    )
    .option('--step', 'Halt before every block')
    .option(
      '--answer <block=answer>',
      'Answer a halt: retry, proceed, reject:<reason>, next, jump:<block> or abort (repeatable)',
      collect,
    )
    .option('--manifest <file>', 'Manifest file (default: the nearest .vision/workflows.json)')
    .option('--json', 'Print the Response as one JSON document')
    .option('--jsonl', 'Stream events, one JSON document per line')
    .addHelpText(
      'after',
      `${EXIT_CODES}${example('robosmith simulate Feature_Implement --script .vision/answers.json')}`,
    )
    .action((start: string | undefined, options: SimulateOptions, command: Command) =>
      perform(async () =>
        (await import('../commands/simulate.ts')).simulateCommand(start, { ...options, typed: typedAs(command) }, io),
      ),
    );

const declareRun = (program: Command, io: CliIo, perform: Perform): Command =>
  program
    .command('run')
    .argument('[node or block]', 'Node to run, or block to start from (default: the entry of the manifest)')
    .description('Run a node, or start from a block, in a new session with its own worktree')
    .option('--in <directory>', 'Run in this directory instead of in a session')
    .option('--session <title>', 'Title of the new session, or of an existing one that is ready for another run')
    .option(
      '--plan <glob>',
      'Files that the session plans to change (repeatable); sessions with overlapping plans run one after the other',
      collect,
    )
    .option(
      '--input <text>',
      'Request for the run: text, or @file to read it from a file; name=value for each input that the manifest declares (repeatable)',
      collect,
    )
    .option(
      '--issue <number>',
      'Work on this issue of the remote: its text and comments, read with gh or glab, are the input',
    )
    .option(
      '--pull-request <number>',
      'Continue the session of this pull request with its review comments as the input',
    )
    .option('--script <file>', 'File with scripted answers for some blocks; all other blocks execute')
    .option('--step', 'Halt before every block')
    .option(
      '--approvals <level>',
      `The most that agents may do without approval, whatever the manifest allows: ${APPROVALS.join(', ')}`,
    )
    .option(
      '--answer <block=answer>',
      'Answer a halt: retry, proceed, reject:<reason>, next, jump:<block> or abort (repeatable)',
      collect,
    )
    .option('--detach', 'Run in the background engine host, and print how to follow the run')
    .option(
      '--show-prompt',
      'Print the prompts that would be sent, as far as scripted answers lead; sends and executes nothing',
    )
    .option(
      '--forecast',
      'Print what a run would use, from the visits of earlier runs: calls, tokens, money and time; starts nothing',
    )
    .option('--print-prompts', 'Print each prompt before it is sent')
    .option('--trust', 'Trust this project: allow its commands to run, now and later')
    .option('--manifest <file>', 'Manifest file (default: the nearest .vision/workflows.json)')
    .option('--json', 'Print the Response as one JSON document')
    .option('--jsonl', 'Stream events, one JSON document per line')
    .addHelpText(
      'after',
      `${KEPT_EXIT_CODES}${example(
        'robosmith run Feature_Implement',
        'robosmith run Feature_Implement --session "Log in by mail" --plan "src/login/**" --detach',
        'robosmith run Feature_Implement --issue 12',
        'robosmith run Feature_Implement --pull-request 15',
        'robosmith run Feature_Implement --in .',
        'robosmith run Feature_Implement --in . --show-prompt',
        'robosmith run Feature_Implement --forecast',
        'robosmith run Feature_Implement --in . --input @task.md --trust --json',
        'robosmith run Feature_Implement --in . --answer Feature_Implement__Review=next',
      )}`,
    )
    .action((start: string | undefined, options: RunCommandOptions, command: Command) =>
      perform(async () =>
        (await import('../commands/run.ts')).runCommand(start, { ...options, typed: typedAs(command) }, io),
      ),
    );

const declareResume = (program: Command, io: CliIo, perform: Perform): Command =>
  program
    .command('resume')
    .argument('[run]', 'Run id or unique prefix (default: the newest run that can be resumed)')
    .description('Continue a run after a stop or crash, or answer its halt')
    .option('--retry', 'Execute the halted or failed block again')
    .option(
      '--proceed',
      'Execute the block now (gate, step mode), or report its work as done (manual or interrupted work)',
    )
    .option('--reject <reason>', 'Reject manual work; the reason guides the block that the manifest names for this')
    .option('--next', 'Continue with the next block')
    .option('--jump <block>', 'Continue with this block')
    .option('--abort', 'End the run')
    .option('--guidance <text>', 'Guidance for the workers, together with any of these answers')
    .option('--halt <id>', 'Halt to answer; may be omitted for the first halt of a run')
    .option(
      '--manifest <new>',
      'Follow the current manifest instead of the one the run started with; the only value is new',
    )
    .option('--due', 'Resume every run whose scheduled time has passed')
    .option('--trust', 'Trust this project: allow its commands to run, now and later')
    .option('--json', 'Print the Response as one JSON document')
    .option('--jsonl', 'Stream events, one JSON document per line')
    .addHelpText(
      'after',
      `${KEPT_EXIT_CODES}${example(
        'robosmith resume',
        'robosmith resume r3f2a91 --retry --guidance "the port is 8080"',
        'robosmith resume r3f2a91 --reject "the error message names no file"',
        'robosmith resume r3f2a91 --jump Feature_Implement__WriteCode',
      )}`,
    )
    .action((run: string | undefined, options: ResumeOptions) =>
      perform(async () => (await import('../commands/resume.ts')).resume(run, options, io)),
    );

const declareInbox = (program: Command, io: CliIo, perform: Perform): Command =>
  program
    .command('inbox')
    .description('List what is waiting for you, with the commands that answer it')
    .option('--json', 'Print one JSON document')
    .addHelpText('after', example('robosmith inbox'))
    .action((options: InboxOptions) => perform(async () => (await import('../commands/inbox.ts')).inbox(options, io)));

const declareNotify = (program: Command, io: CliIo, perform: Perform): Command =>
  program
    .command('notify')
    .description('Set up desktop or webhook notifications for everything that waits for you')
    .option('--desktop <on|off>', 'Switch desktop notifications on or off')
    .option('--webhook <url>', 'Post each notification as JSON to this https URL; none removes it')
    .option('--test', 'Send a test notification now')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      `\nThe setting applies to all your projects. Notifications come from engine hosts (robosmith run --detach).\n${example('robosmith notify --desktop on --test', 'robosmith notify --webhook https://hooks.example.com/T0/B0')}`,
    )
    .action((options: NotifyOptions) =>
      perform(async () => (await import('../commands/notify.ts')).notify(options, io)),
    );
