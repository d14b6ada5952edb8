import { type Engine } from '#engine/index.ts';
import { stateTrouble, withEngine } from '../run/with-engine.ts';
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

/** Runs a function with the task tree as the owner of the engine, so that no other process saves tasks. */
export const withTaskTree = (
  flags: TaskFlags,
  io: CliIo,
  work: (engine: Engine, root: string) => Promise<number>,
): Promise<number> =>
  inProject(flags, io, async (root) => {
    const done = await withEngine(root, warnOn(io), (engine) => work(engine, root), { isBrief: true });
    return done.ok ? done.value : printRefusal(done.refusal, flags, io);
  });

/**
 * Runs a function with the task tree. If another process owns the engine, `ask` may send the request to that process
 * instead; it returns null if the process does not answer.
 */
export const withTaskTreeOrOwner = (
  flags: TaskFlags,
  io: CliIo,
  work: (engine: Engine, root: string) => Promise<number>,
  ask: (root: string) => Promise<number | null>,
): Promise<number> =>
  inProject(flags, io, async (root) => {
    const done = await withEngine(root, warnOn(io), (engine) => work(engine, root), { isBrief: true });
    if (done.ok) return done.value;
    const asked = done.refusal.reason === 'engine_busy' ? await ask(root) : null;
    return asked ?? printRefusal(done.refusal, flags, io);
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
