import { hasChanged, type ModuleFile } from '#io/project/module-file.ts';
import { startThread, type Thread } from '#io/threads/thread.ts';
import type { Environment } from '#protocol/environment.ts';
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
  /** The memory that was last sent to the thread. */
  memory: object | null;
}

interface PooledThread extends ModuleThread {
  readonly key: string;
  readonly thread: Thread;
  isIdle: boolean;
  /**
   * Set from the end of an execution until the thread reports that it is idle. Resolves at that time, or when the
   * thread ends.
   */
  resting: PromiseWithResolvers<null> | null;
}

export interface ModuleThreads {
  /**
   * Returns an idle thread with this environment, or starts one. Waits while the maximum number of threads is busy. The thread becomes idle
   * again when it reports that after its execution.
   */
  lease(module: ModuleFile, environment: Environment, signal?: AbortSignal): Promise<ModuleThread>;
}

/** The maximum number of active threads. Further executions wait. */
const MOST = 16;
/** The maximum number of idle threads that are kept. */
const MOST_IDLE = 4;

const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './module-thread.ts' : './module-thread.js', import.meta.url);

/**
 * The time in milliseconds that a thread has to become idle after an execution. A thread that takes longer is busy with
 * leftovers of the execution, and is ended.
 */
const REST_MS = 1_000;

/**
 * The reason for ending a thread that sends an unknown message: a module can obtain the port of its thread and post
 * messages of its own.
 */
const FORGED = 'it sent an unknown message to the engine';

const hashesOf = ({ files }: ModuleFile): ReadonlyMap<string, string> =>
  new Map([...files].map(([file, { hash }]) => [file, hash]));

const keyOf = ({ path, fingerprint }: ModuleFile, environment: Environment): string =>
  [fingerprint, path, JSON.stringify(Object.entries(environment).sort())].join('\0');

/** Throws if the module has changed since its project was trusted. */
function checkUnchanged(module: ModuleFile): void {
  if (hasChanged(module))
    throw new ModuleThreadError(
      'its module, or a file that it imports, has been changed since the run began: resume the run to use the new one',
    );
}

/** The callers that wait until a thread is free, in the order of their arrival. */
interface WaitingCallers {
  /** Resolves when it is the caller's turn; rejects if it is stopped before. */
  turn(signal?: AbortSignal): Promise<void>;
  wakeFirst(): void;
}

function createWaitingCallers(): WaitingCallers {
  const waiting: (() => void)[] = [];
  return {
    wakeFirst: () => waiting.shift()?.(),
    turn: async (signal) => {
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
    },
  };
}

interface ThreadListener {
  /** Called when an execution has ended; the thread may still be busy with leftovers of the execution. */
  onExecuted(kept: PooledThread): void;
  /** Called when the thread reports to be idle. `isClean`: the execution left nothing behind. */
  onRested(kept: PooledThread, isClean: boolean): void;
  onEnd(kept: PooledThread): void;
}

function openThread(module: ModuleFile, environment: Environment, listener: ThreadListener): PooledThread {
  const executions = createExecutions();
  // Output goes to stderr, because stdout is reserved for the result of the command.
  const output = createModuleOutput((text) => void process.stderr.write(text), process.env);
  const approved = { root: module.root, hashes: hashesOf(module) };
  const thread = startThread(ENTRY, approved, environment, {
    onOutput: output.add,
    onMessage: (message) => {
      if (!isFromThread(message)) return end(FORGED);
      if (message.kind === 'rested') listener.onRested(kept, message.isClean);
      else {
        executions.hear(message);
        if (message.kind === 'ended' || message.kind === 'described') listener.onExecuted(kept);
      }
    },
    onEnd: (ending) => {
      output.end();
      executions.fail(ending);
      kept.resting?.resolve(null);
      listener.onEnd(kept);
    },
  });
  const end = (why: string): void => {
    executions.condemn(why);
    thread.endWithProcesses();
  };
  const kept: PooledThread = {
    key: keyOf(module, environment),
    thread,
    executions,
    post: thread.post,
    end,
    memory: null,
    isIdle: false,
    resting: null,
  };
  return kept;
}

/** The threads of a pool, idle and busy, in the order of their last use. */
interface ThreadPool {
  open(module: ModuleFile, environment: Environment): PooledThread;
  /** Takes the newest idle thread of the module, because its workers may have kept state there. */
  take(key: string): PooledThread | null;
  /** Returns a thread of the module whose execution has ended, and which is not idle yet. */
  resting(key: string): PooledThread | null;
  retire(kept: PooledThread): void;
  /** Ends the oldest idle thread if no further one may be opened. Returns whether one may be opened now. */
  makeRoom(): boolean;
}

function createThreadPool(most: number, mostIdle: number, onFree: () => void): ThreadPool {
  const threads = new Set<PooledThread>();

  const idle = (): readonly PooledThread[] => [...threads].filter((one) => one.isIdle);

  const retire = (kept: PooledThread): void => {
    threads.delete(kept);
    kept.thread.end();
    kept.resting?.resolve(null);
    onFree();
  };

  const onExecuted = (kept: PooledThread): void => {
    if (!kept.executions.isIdle() || kept.resting !== null) return;
    const resting = Promise.withResolvers<null>();
    kept.resting = resting;
    const timer = setTimeout(() => retire(kept), REST_MS).unref();
    void resting.promise.then(() => clearTimeout(timer));
  };

  const onRested = (kept: PooledThread, isClean: boolean): void => {
    if (!threads.has(kept) || kept.isIdle || !kept.executions.isIdle()) return;
    if (!isClean) return retire(kept);
    kept.isIdle = true;
    kept.thread.release();
    kept.resting?.resolve(null);
    kept.resting = null;
    const [oldest] = idle();
    if (idle().length > mostIdle && oldest !== undefined) return retire(oldest);
    onFree();
  };

  const onEnd = (kept: PooledThread): void => {
    if (threads.delete(kept)) onFree();
  };

  return {
    open: (module, environment) => {
      const kept = openThread(module, environment, { onExecuted, onRested, onEnd });
      threads.add(kept);
      return kept;
    },
    take: (key) => {
      const found = idle().findLast((one) => one.key === key) ?? null;
      if (found === null) return null;
      threads.delete(found);
      threads.add(found);
      found.isIdle = false;
      found.thread.hold();
      return found;
    },
    resting: (key) => [...threads].find((one) => one.key === key && one.resting !== null) ?? null,
    retire,
    makeRoom: () => {
      const [unused] = idle();
      if (threads.size >= most && unused !== undefined) retire(unused);
      return threads.size < most;
    },
  };
}

/** Creates the threads for modules: each executes one thing at a time, for one module. */
export function createModuleThreads(most = MOST, mostIdle = MOST_IDLE): ModuleThreads {
  const callers = createWaitingCallers();
  const pool = createThreadPool(most, mostIdle, callers.wakeFirst);

  return {
    lease: async (module, environment, signal) => {
      const key = keyOf(module, environment);
      for (;;) {
        checkUnchanged(module);
        const known = pool.take(key);
        if (known !== null) return known;
        const ending = pool.resting(key);
        if (ending !== null) await ending.resting?.promise;
        else if (pool.makeRoom()) return pool.open(module, environment);
        else {
          if (signal?.aborted === true) throw new ModuleThreadError('it was stopped before a thread was free');
          await callers.turn(signal);
        }
      }
    },
  };
}

/** The module threads of this process. */
export const moduleThreads = createModuleThreads();
