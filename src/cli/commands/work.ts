import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { projectTasks } from '#engine/index.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import { printJson } from '../print/json.ts';
import { reporterFor } from '../print/reporter.ts';
import { workWatcher } from '../plan/print-work.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { TaskFlags } from '../plan/task-options.ts';
import { refuseTasks } from '../plan/task-trouble.ts';
import { withTaskTree } from '../plan/with-task-tree.ts';
import { workOn } from '../plan/work-on.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface WorkFlags extends TaskFlags {
  readonly in?: string;
  readonly manifest?: string;
  readonly trust?: true;
  readonly jsonl?: true;
}

type Verb = 'next' | 'work';

async function workDirectory(verb: Verb, flags: WorkFlags, io: CliIo): Promise<string> {
  const directory = path.resolve(io.cwd, flags.in ?? '.');
  const found = await stat(directory).catch(() => null);
  if (found?.isDirectory() === true) return realpath(directory);
  throw usageError(`${shownPath(directory, io)} is not a directory.`, [`robosmith ${verb} --in .`]);
}

const trustingCommand = (verb: Verb, { in: directory, manifest }: WorkFlags): string =>
  [
    ...['robosmith', verb],
    ...(directory === undefined ? [] : ['--in', directory]),
    ...(manifest === undefined ? [] : ['--manifest', manifest]),
    '--trust',
  ]
    .map(shellWord)
    .join(' ');

/**
 * Implements `next`, which works on one task, and `work`, which continues until no task is left or one needs a person.
 */
export async function work(verb: Verb, flags: WorkFlags, io: CliIo): Promise<number> {
  if (flags.json === true && flags.jsonl === true)
    throw usageError("--json and --jsonl can't be combined.", [`robosmith ${verb} --help`]);
  const directory = await workDirectory(verb, flags, io);
  return withTaskTree(flags, io, async (client, root) => {
    const { watcher, close } = workWatcher(flags, () => projectTasks(root), io);
    const asked = flags.jsonl === true ? { jsonl: true as const } : {};
    const parts = {
      client,
      root,
      directory,
      flags,
      io,
      trusting: trustingCommand(verb, flags),
      reporterFor: () => reporterFor(asked, flags.manifest, io),
    };
    try {
      const done = await workOn(parts, verb === 'next', watcher);
      if ('printedExit' in done) return done.printedExit;
      if (!done.ok) return refuseTasks(done.problems, done.notices, flags, io, { worked: done.worked });
      const { ended, worked, exit, outside } = done;
      if (flags.json === true) printJson({ ok: true, ended, worked, ...(outside > 0 ? { outside } : {}) }, io.stdout);
      watcher.ended(ended, worked, outside);
      return exit;
    } finally {
      close();
    }
  });
}
