import type { ListedTasks } from '#engine/index.ts';
import { TASK_MARKER } from '#protocol/task-tree.ts';
import type { TaskNotices } from '#protocol/task-work.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { TaskFlags } from './task-options.ts';
import { printNotices } from './task-trouble.ts';
import { fromHere } from '../names/command-from-here.ts';
import type { WorkWatcher } from './work-on.ts';
import type { WorkEnd, WorkedTask } from '../print/json-documents.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { harmless, styleFor } from '../print/style.ts';

interface Watching {
  readonly watcher: WorkWatcher & { ended(end: WorkEnd, worked: readonly WorkedTask[], outside: number): void };
  close(): void;
}

const NEXT: Readonly<Record<WorkEnd, readonly string[]>> = {
  one: ['robosmith next', 'robosmith tasks'],
  none_left: ['robosmith tasks'],
  waits: ['robosmith inbox', 'robosmith work'],
  interrupted: ['robosmith work'],
  failed: ['robosmith next', 'robosmith tasks'],
  given_up: ['robosmith tasks'],
  refused: [],
};

/** Prints the progress of the work on stderr. */
export function workWatcher(flags: TaskFlags, list: () => Promise<ListedTasks>, io: CliIo): Watching {
  const { paint, symbols } = styleFor(io.stderr, io);
  let interrupted = false;
  let printed = '';
  // An active run handles the interrupt itself. Between runs, the flag prevents the start of a further run.
  const stop = io.onInterrupt(() => {
    interrupted = true;
  });
  const say = (text: string): void => io.stderr.write(`${text}\n`);
  const news = (notices: TaskNotices, asked: TaskFlags, worked: readonly WorkedTask[]): number | null => {
    // The same notices are printed only once. If another program has changed files, however, they are printed each
    // time.
    const now = JSON.stringify(notices);
    const isOld = now === printed && notices.changed.length === 0;
    printed = now;
    return isOld ? null : printNotices(notices, true, asked, io, { worked });
  };
  return {
    close: stop,
    watcher: {
      isInterrupted: () => interrupted,
      saved: (notices) => void news(notices, {}, []),
      notices: (notices, worked) => news(notices, flags, worked),
      beforeSaving: async (worked) => {
        if (flags.strict !== true) return null;
        const listed = await list();
        return printNotices(listed.ok ? listed.listing.notices : listed.notices, false, flags, io, { worked });
      },
      begins: ({ id, name, dispatch }) => {
        const who =
          dispatch.kind === 'flow' ? dispatch.node : dispatch.kind === 'worker' ? dispatch.worker : 'a person';
        say(`${paint.bold(`${id} ${harmless(name)}`)}  ${paint.dim(harmless(`${symbols.arrow} ${who}`))}`);
      },
      takesOver: (_task, run) => say(paint.dim(`  ${run} had ended already; its result is used`)),
      unsafe: (run, worked) => {
        const message = `${run} failed in a block that is not executed again without confirmation.`;
        const next = [`robosmith resume ${run} --retry`];
        const commands = next.map((command) => fromHere(command, io));
        const error = { code: 'unsafe_to_retry', message, next: commands } as const;
        if (flags.json === true) printJson({ ok: false, error, worked }, io.stdout);
        say(paint.yellow(`${symbols.warn} ${message}`));
        printNext(next, io);
        return 1;
      },
      settled: ({ id, name, status, failures }, most) => {
        const colour = status === 'done' ? paint.green : status === 'failed' ? paint.red : paint.yellow;
        const marker = status === null ? 'gone' : `[${TASK_MARKER[status]}]`;
        const count = failures > 0 ? `  failed ${failures} of ${most + 1} times` : '';
        say(colour(`${marker} ${id} ${harmless(name)}${status === 'failed' ? '  FATAL' : ''}${count}`));
      },
      ended: (end, worked, outside) => {
        const done = new Set(worked.filter(({ status }) => status === 'done').map(({ id }) => id)).size;
        const where = outside === 0 ? 'to work on' : `in this part of the plan; ${outside} outside of it`;
        if (end === 'none_left') say(paint.green(`${symbols.ok} No task is left ${where}; ${done} done now.`));
        if (end === 'given_up')
          say(paint.red(`${symbols.bad} A task has failed for good. Set it to pending to try it again.`));
        printNext([...(outside > 0 ? ['robosmith zoom out'] : []), ...NEXT[end]], io);
      },
    },
  };
}
