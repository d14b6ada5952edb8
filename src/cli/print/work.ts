import type { ListedTasks } from '#engine/index.ts';
import { TASK_MARKER } from '#protocol/task-tree.ts';
import type { CliIo } from '../cli-io.ts';
import type { TaskFlags } from '../tasks/task-options.ts';
import { tellNotices } from '../tasks/task-trouble.ts';
import type { WorkedTask, WorkEnd, WorkWatcher } from '../tasks/work-on.ts';
import { printNext } from './problem.ts';
import { harmless, styleFor } from './style.ts';

interface Watching {
  readonly watcher: WorkWatcher & { ended(end: WorkEnd, worked: readonly WorkedTask[]): void };
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

/** Tells on stderr how the work goes. */
export function workWatcher(flags: TaskFlags, list: () => Promise<ListedTasks>, io: CliIo): Watching {
  const { paint, symbols } = styleFor(io.stderr, io);
  let interrupted = false;
  let told = '';
  // A run that is under way listens too, and is stopped in order; between runs nothing more begins.
  const stop = io.onInterrupt(() => {
    interrupted = true;
  });
  const say = (text: string): void => io.stderr.write(`${text}\n`);
  return {
    close: stop,
    watcher: {
      isInterrupted: () => interrupted,
      notices: (notices) => {
        // The same comments are there until somebody saves; what another hand did is new each time.
        const now = JSON.stringify(notices);
        const isOld = now === told && notices.changed.length === 0;
        told = now;
        return isOld ? null : tellNotices(notices, true, flags, io);
      },
      beforeSaving: async () => {
        if (flags.strict !== true) return null;
        const listed = await list();
        return tellNotices(listed.ok ? listed.listing.notices : listed.notices, false, flags, io);
      },
      begins: ({ id, name, dispatch }) => {
        const who =
          dispatch.kind === 'flow' ? dispatch.node : dispatch.kind === 'worker' ? dispatch.worker : 'a person';
        say(`${paint.bold(`${id} ${harmless(name)}`)}  ${paint.dim(harmless(`${symbols.arrow} ${who}`))}`);
      },
      takesOver: (_task, run) => say(paint.dim(`  ${run} had ended already: its result is taken`)),
      unsafe: (_task, run) => {
        say(paint.yellow(`${symbols.warn} ${run} has failed in a block that may not be executed twice unasked.`));
        printNext([`robosmith resume ${run} --retry`], io);
      },
      settled: ({ id, name, status, failures }, most) => {
        const colour = status === 'done' ? paint.green : status === 'failed' ? paint.red : paint.yellow;
        const marker = status === null ? 'gone' : `[${TASK_MARKER[status]}]`;
        const count = failures > 0 ? `  failed ${failures} of ${most + 1} times` : '';
        say(colour(`${marker} ${id} ${harmless(name)}${status === 'failed' ? '  FATAL' : ''}${count}`));
      },
      ended: (end, worked) => {
        const done = new Set(worked.filter(({ status }) => status === 'done').map(({ id }) => id)).size;
        if (end === 'none_left') say(paint.green(`${symbols.ok} No task is left to work on; ${done} done now.`));
        if (end === 'given_up') say(paint.red(`${symbols.bad} A task is given up: set it to pending to try it anew.`));
        printNext(NEXT[end], io);
      },
    },
  };
}
