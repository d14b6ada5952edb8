import nodeModule, { registerHooks, syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { approvedFiles, readApproved } from './approved-files.ts';

/*
 * Restricts what the modules of a project load, and to which processes they send signals. Node executes this file in a
 * thread, and in every thread that this one starts, before any other file (`--require`). Until `restrictTo` is called,
 * everything is loaded.
 *
 * The hook is called for each file that `import`, `require`, a thread's entry or a WebAssembly module loads, in whatever
 * way its name was written or computed. It returns the bytes that it has compared, so that a file which is replaced
 * meanwhile is not executed.
 */

registerHooks({
  load: (url, context, nextLoad) => {
    const approved = approvedFiles();
    if (approved === null || !url.startsWith('file:')) return nextLoad(url, context);
    const source = readApproved(fileURLToPath(url), approved);
    return { ...nextLoad(url, context), source };
  },
});

// `require` opens native addons by itself, without the hook.
const { dlopen } = process;
process.dlopen = (module: object, file: string, ...flags: readonly number[]): void => {
  const approved = approvedFiles();
  if (approved !== null) readApproved(file, approved);
  Reflect.apply(dlopen, process, [module, file, ...flags]);
};

// Hooks that `register` installs run in a thread of Node's own, which this file does not reach.
Object.assign(nodeModule, {
  register: (): never => {
    throw new Error('module.register is not available to modules of the registry: use module.registerHooks');
  },
});

// A thread inherits the flag for this file, unless it gets flags of its own. Node reads those in `NODE_OPTIONS` first.
threads.Worker = class extends threads.Worker {
  constructor(entry: string | URL, options: WorkerOptions = {}) {
    const { execArgv, env } = options;
    super(entry, {
      ...options,
      ...(execArgv === undefined ? {} : { execArgv: [...guardFlags(), ...execArgv] }),
      ...(typeof env === 'object' ? { env: withoutOptions(env) } : {}),
    });
  }
};

/**
 * Refuses signals to the process of this thread, which executes other runs as well. `process.kill` of the thread is that
 * of the whole process.
 */
function guardSignals(): void {
  const kill = process.kill.bind(process);
  const own: readonly number[] = [process.pid, -process.pid, 0, -1];
  // A module without types may give the number as a text, which `process.kill` accepts.
  const isOwn = (pid: unknown): boolean => own.includes(Number(pid));
  const guarded: typeof process.kill = (pid, signal) => {
    if (signal !== 0 && isOwn(pid)) throw new Error('a module may not send a signal to the process that executes it');
    return kill(pid, signal);
  };
  Object.defineProperty(process, 'kill', { value: guarded, writable: false, configurable: false });
}

guardSignals();
syncBuiltinESMExports();

const withoutOptions = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.toUpperCase() !== 'NODE_OPTIONS'));

function guardFlags(): readonly string[] {
  return ['--require', fileURLToPath(import.meta.url)];
}
