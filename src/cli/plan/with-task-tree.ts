import type { HostClient } from '#protocol/host-client.ts';
import { stateTrouble } from '../run/engine-trouble.ts';
import { withClient } from '../run/with-client.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printRefusal } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import type { TaskFlags } from './task-options.ts';

const warnOn =
  (io: CliIo) =>
  (message: string): void => {
    const { paint, symbols } = styleFor(io.stderr, io);
    io.stderr.write(`${paint.yellow(`${symbols.warn} ${harmless(message)}`)}\n`);
  };

/** Runs a function with the engine that keeps the task tree. */
export const withTaskTree = (
  flags: TaskFlags,
  io: CliIo,
  work: (client: HostClient, root: string) => Promise<number>,
): Promise<number> =>
  inProject(flags, io, async (root) => {
    const done = await withClient(root, { io, warn: warnOn(io) }, (client) => work(client, root));
    return done.ok ? done.value : printRefusal(done.refusal, flags, io);
  });

/** Runs a read-only function with the task tree. */
export const readingTasks = (flags: TaskFlags, io: CliIo, work: (root: string) => Promise<number>): Promise<number> =>
  inProject(flags, io, async (root) => {
    try {
      return await work(root);
    } catch (thrown) {
      const trouble = stateTrouble(thrown);
      if (trouble === null) throw thrown;
      return printRefusal(trouble, flags, io);
    }
  });
