import type { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { AddFlags, AddressFlags, MoveFlags } from '../commands/tasks-edit.ts';
import type { WorkFlags } from '../commands/work.ts';
import { didYouMean } from '#protocol/nearest.ts';
import type { TaskFlags } from '../plan/task-options.ts';
import { usageError } from '../terminal/usage-error.ts';
import { example, type Perform } from './declaration.ts';

const JSON_OUT = ['--json', 'Print one JSON document'] as const;
const STRICT = ['--strict', 'Refuse to work if another program changed the plan since RoboSmith saved it'] as const;
const ID = ['<id>', 'Task number as listed by `robosmith tasks`, for example 1.2'] as const;
const NAME = ['--name <name>', 'Only if the task has this name'] as const;
const STRUCTURE = [
  '--structure <structure>',
  'Only if the tree still has this structure, as printed by `tasks --json`',
] as const;

export function declareTasks(program: Command, io: CliIo, perform: Perform): void {
  program.commandsGroup('Work through a plan:');
  const tasks = program
    .command('tasks')
    .description('Show and edit the work plan, .flow/status.md')
    .usage('[command] [options]')
    .option(...STRICT)
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      `
Markers: [ ] pending, [/] active, [x] done, [-] skipped, [!] failed. You can edit the file by hand.
${example('robosmith tasks', 'robosmith tasks add "Write the parser" --node Feature_Implement', 'robosmith tasks set 1.2 done')}`,
    )
    .allowExcessArguments()
    .action((options: TaskFlags) =>
      perform(async () => {
        checkWord(tasks.args[0], tasks);
        return (await import('../commands/tasks.ts')).tasks(options, io);
      }),
    );
  declareAdd(tasks, io, perform);
  declareChanges(tasks, io, perform);
  declareMove(tasks, io, perform);
  declareTrust(tasks, io, perform);
  declareWork(program, 'next', 'Work on the next task only', io, perform);
  declareWork(program, 'work', 'Work on tasks until none is left or one needs you', io, perform);
  declareZoom(program, io, perform);
}

function checkWord(word: string | undefined, tasks: Command): void {
  if (word === undefined) return;
  const words = tasks.commands.map((command) => command.name());
  throw usageError(`"${word}" is not a command of tasks.${didYouMean(word, words)}`, ['robosmith tasks --help']);
}

/** Includes the options of the parent command: the parser assigns shared options to it, wherever they stand. */
const optionsOf = (command: Command): unknown => command.optsWithGlobals();

const declareAdd = (tasks: Command, io: CliIo, perform: Perform): Command =>
  tasks
    .command('add')
    .argument('<name>', 'What to do; a prefix such as `[git]` assigns it to the worker "git" of the registry')
    .description('Add a pending task at the end')
    .option('--under <id>', 'Add it as a subtask of this task')
    .option('--before <id>', 'Insert it before this task')
    .option('--node <node>', 'Node of the manifest that the task runs')
    .option(...STRICT)
    .option(...JSON_OUT)
    .addHelpText(
      'after',
      example('robosmith tasks add "Write the parser"', 'robosmith tasks add "Test it" --under 1 --node Feature_Test'),
    )
    .action((name: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/tasks-edit.ts')).tasksAdd(name, optionsOf(command) as AddFlags, io),
      ),
    );

function declareChanges(tasks: Command, io: CliIo, perform: Perform): void {
  tasks
    .command('set')
    .argument(...ID)
    .argument('<status>', 'New status: pending, active, done, skipped or failed')
    .description('Set the status of a task')
    .option(...NAME)
    .option(...STRUCTURE)
    .option(...STRICT)
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith tasks set 1.2 done', 'robosmith tasks set 3 skipped --name "Write docs"'))
    .action((id: string, status: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/tasks-edit.ts')).tasksSet(id, status, optionsOf(command) as AddressFlags, io),
      ),
    );
  tasks
    .command('remove')
    .argument(...ID)
    .description('Remove a task and its subtasks; the old file is kept')
    .option(...NAME)
    .option(...STRUCTURE)
    .option(...STRICT)
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith tasks remove 2'))
    .action((id: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/tasks-edit.ts')).tasksRemove(id, optionsOf(command) as AddressFlags, io),
      ),
    );
}

const declareMove = (tasks: Command, io: CliIo, perform: Perform): Command =>
  tasks
    .command('move')
    .argument(...ID)
    .description('Move a task and its subtasks')
    .option('--before <id>', 'Move it right before this task')
    .option('--under <id>', 'Move it to the end of the subtasks of this task')
    .option('--last', 'Move it to the end of the plan')
    .option(...NAME)
    .option(...STRUCTURE)
    .option(...STRICT)
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith tasks move 3 --before 1', 'robosmith tasks move 1.2 --under 4'))
    .action((id: string, _options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/tasks-edit.ts')).tasksMove(id, optionsOf(command) as MoveFlags, io),
      ),
    );

function declareTrust(tasks: Command, io: CliIo, perform: Perform): void {
  tasks
    .command('accept')
    .description('Accept changes that another program made to the plan')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith tasks accept'))
    .action((_options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/tasks-accept.ts')).tasksAccept(optionsOf(command) as TaskFlags, io),
      ),
    );
  tasks
    .command('restore')
    .description('Undo changes that another program made to the plan since RoboSmith saved it')
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith tasks restore'))
    .action((_options: unknown, command: Command) =>
      perform(async () =>
        (await import('../commands/tasks-accept.ts')).tasksRestore(optionsOf(command) as TaskFlags, io),
      ),
    );
}

const declareWork = (program: Command, verb: 'next' | 'work', what: string, io: CliIo, perform: Perform): Command =>
  program
    .command(verb)
    .description(what)
    .option('--in <directory>', 'Work in this directory (default: the current one)')
    .option('--trust', 'Trust this project: allow its commands to run, now and later')
    .option('--manifest <file>', 'Manifest file (default: the nearest .vision/workflows.json)')
    .option(...STRICT)
    .option(...JSON_OUT)
    .option('--jsonl', 'Stream events, one JSON document per line')
    .addHelpText(
      'after',
      `
Exit code: 0 done or stopped, 1 failed, 2 not started, 3 waits for a person, 4 engine is busy.
${example(`robosmith ${verb}`, `robosmith ${verb} --trust --json`)}`,
    )
    .action((options: WorkFlags) => perform(async () => (await import('../commands/work.ts')).work(verb, options, io)));

function declareZoom(program: Command, io: CliIo, perform: Perform): void {
  const zoom = program
    .command('zoom')
    .description('Move the subtasks of a task to their own file, and work there')
    .usage('<command> [options]')
    .addHelpText('after', example('robosmith zoom in 1.2', 'robosmith zoom out'));
  zoom
    .command('in')
    .argument(...ID)
    .description('Work on the subtasks of this task, in .flow/sub_flows/')
    .option(...NAME)
    .option(...STRUCTURE)
    .option(...STRICT)
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith zoom in 1.2'))
    .action((id: string, options: AddressFlags) =>
      perform(async () => (await import('../commands/tasks-edit.ts')).zoomIn(id, options, io)),
    );
  zoom
    .command('out')
    .description('Go back to the parent file')
    .option(...STRICT)
    .option(...JSON_OUT)
    .addHelpText('after', example('robosmith zoom out'))
    .action((options: TaskFlags) =>
      perform(async () => (await import('../commands/tasks-edit.ts')).zoomOut(options, io)),
    );
}
