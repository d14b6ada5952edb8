import { findModule, type ModuleFile } from '#io/project/module-file.ts';
import { startThread, type Thread } from '#io/threads/thread.ts';
import { createExecutions, type Executions, ModuleThreadError } from './executions.ts';
import { isFromThread } from './is-from-thread.ts';
import type { ToThread } from './messages.ts';
import { createModuleOutput } from './module-output.ts';

/** A thread that has imported one module of a project. */
export interface ModuleThread {
  readonly executions: Executions;
  post(message: ToThread): void;
  /** Ends the thread at once, with the processes that it started; its execution fails with this message. */
  end(why: string): void;
  /** The memory that it was sent last. */
  memory: object | null;
}

interface Kept extends ModuleThread {
  readonly key: string;
  readonly thread: Thread;
  isIdle: boolean;
  /** Set while its execution has ended but it has not reported to be idle; resolves when it does or ends. */
  resting: PromiseWithResolvers<null> | null;
}

export interface ModuleThreads {
  /** Returns an idle thread, which is free again once it has reported to be idle. Waits while all are busy. */
  lease(module: ModuleFile, signal?: AbortSignal): Promise<ModuleThread>;
}

/** The most active threads; further executions wait. */
const MOST = 16;
/** The most idle threads that are kept. */
const MOST_IDLE = 4;

const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './module-thread.ts' : './module-thread.js', import.meta.url);

/** A thread that is not idle this long after its execution is busy with what that left behind. */
const REST_MS = 1_000;

/** A module can obtain the port of its thread and post its own messages. */
const FORGED = 'it sent an unknown message to the engine';

const keyOf = ({ path, fingerprint }: ModuleFile): string => `${fingerprint}\0${path}`;

/** Throws if the module has changed since its project was trusted. */
async function checkUnchanged({ path, root, fingerprint }: ModuleFile): Promise<void> {
  const found = await findModule(path, root);
  if (found?.fingerprint !== fingerprint)
    throw new ModuleThreadError(
      'its module, or a file that it imports, has been changed since the run began: resume the run to use the new one',
    );
}

/** Creates the threads for modules: each executes one thing at a time, for one module. */
export function createModuleThreads(most = MOST, mostIdle = MOST_IDLE): ModuleThreads {
  const threads = new Set<Kept>();
  const waiting: (() => void)[] = [];

  const idle = (): readonly Kept[] => [...threads].filter((one) => one.isIdle);

  const retire = (kept: Kept): void => {
    threads.delete(kept);
    kept.thread.end();
    kept.resting?.resolve(null);
    waiting.shift()?.();
  };

  const awaitRest = (kept: Kept): void => {
    if (!kept.executions.isIdle() || kept.resting !== null) return;
    const resting = Promise.withResolvers<null>();
    kept.resting = resting;
    const timer = setTimeout(() => retire(kept), REST_MS).unref();
    void resting.promise.then(() => clearTimeout(timer));
  };

  const rested = (kept: Kept, isClean: boolean): void => {
    if (!threads.has(kept) || kept.isIdle || !kept.executions.isIdle()) return;
    if (!isClean) return retire(kept);
    kept.isIdle = true;
    kept.thread.release();
    kept.resting?.resolve(null);
    kept.resting = null;
    const [oldest] = idle();
    if (idle().length > mostIdle && oldest !== undefined) return retire(oldest);
    waiting.shift()?.();
  };

  const open = (key: string): Kept => {
    const executions = createExecutions();
    // Output goes to stderr, because stdout is reserved for the result of the command.
    const output = createModuleOutput((text) => void process.stderr.write(text), process.env);
    const thread = startThread(ENTRY, {
      onOutput: output.add,
      onMessage: (message) => {
        if (!isFromThread(message)) return end(FORGED);
        if (message.kind === 'rested') rested(kept, message.isClean);
        else {
          executions.hear(message);
          if (message.kind === 'ended' || message.kind === 'described') awaitRest(kept);
        }
      },
      onEnd: (ending) => {
        output.end();
        executions.fail(ending);
        kept.resting?.resolve(null);
        if (threads.delete(kept)) waiting.shift()?.();
      },
    });
    const end = (why: string): void => {
      executions.condemn(why);
      thread.endWithProcesses();
    };
    const kept: Kept = { key, thread, executions, post: thread.post, end, memory: null, isIdle: false, resting: null };
    return kept;
  };

  /** Returns the newest idle thread of the module, where its workers may have state. */
  const take = (key: string): Kept | null => {
    const found = idle().findLast((one) => one.key === key) ?? null;
    if (found === null) return null;
    threads.delete(found);
    threads.add(found);
    found.isIdle = false;
    found.thread.hold();
    return found;
  };

  const turn = async (signal?: AbortSignal): Promise<void> => {
    const next = Promise.withResolvers<null>();
    const stop = (): void => next.reject(new ModuleThreadError('it was stopped before a thread was free'));
    const wake = (): void => next.resolve(null);
    waiting.push(wake);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      await next.promise;
    } finally {
      signal?.removeEventListener('abort', stop);
      const at = waiting.indexOf(wake);
      if (at !== -1) waiting.splice(at, 1);
    }
  };

  return {
    lease: async (module, signal) => {
      const key = keyOf(module);
      for (;;) {
        const known = take(key);
        if (known !== null) return known;
        const ending = [...threads].find((one) => one.key === key && one.resting !== null);
        if (ending !== undefined) {
          await ending.resting?.promise;
          continue;
        }
        const [unused] = idle();
        if (threads.size >= most && unused !== undefined) retire(unused);
        if (threads.size < most) {
          const kept = open(key);
          threads.add(kept);
          try {
            await checkUnchanged(module);
          } catch (thrown) {
            retire(kept);
            throw thrown;
          }
          return kept;
        }
        if (signal?.aborted === true) throw new ModuleThreadError('it was stopped before a thread was free');
        await turn(signal);
      }
    },
  };
}

/** The module threads of this process. */
export const moduleThreads = createModuleThreads();
