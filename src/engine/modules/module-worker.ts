import { BrokenContract } from '#machines/run/check-result.ts';
import type { ModuleFile } from '#io/project/module-file.ts';
import type { Environment } from '#protocol/environment.ts';
import type { SideEffects } from '#protocol/graph.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, Completion, Worker, WorkerResult } from '#protocol/worker.ts';
import { thrownBy } from './error-data.ts';
import { nextId } from './executions.ts';
import type { Description, Method, Outcome } from './messages.ts';
import { type ModuleThread, type ModuleThreads, moduleThreads } from './module-threads.ts';
import { offerNothing, type ServedCalls, serveCalls } from './serve-calls.ts';

/** A thread that does not acknowledge an abort within this time is stuck. */
const STUCK_MS = 1_000;
/** The time that an aborted execution has to end; the engine abandons it a little later. */
const GRACE_MS = 5_000;
/** The time limit of checks and cleanups, as in the engine. */
const LONGEST_CHECK_MS = 60_000;

const ENDED = 'it ignored the abort signal, and its thread was terminated';

interface Order {
  readonly module: ModuleFile;
  readonly environment: Environment;
  readonly export: string;
  readonly method: Method;
  readonly memory: BlockMemory;
  readonly services: Services | null;
  readonly signal: AbortSignal | null;
  /** Runs the call in this thread, in parallel with the thread's current execution. */
  readonly thread?: ModuleThread | undefined;
  readonly onThread?: (thread: ModuleThread) => void;
}

/** Copies the payload to a plain array, because its view can't be sent between threads. */
const plain = (memory: BlockMemory): BlockMemory => ({ ...memory, payload: [...memory.payload] });

function valueOf(outcome: Outcome): WorkerResult | Completion | SideEffects | null {
  if (outcome.ok) return outcome.value;
  throw 'violation' in outcome ? new BrokenContract(outcome.violation) : thrownBy(outcome.error);
}

/** Ends the thread of an aborted execution that does not end in time. */
function enforce(id: number, thread: ModuleThread, signal: AbortSignal | null, limitMs: number | null) {
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number): NodeJS.Timeout => {
    const timer = setTimeout(() => thread.end(ENDED), ms);
    timers.add(timer);
    return timer;
  };
  let stuck: NodeJS.Timeout | undefined;
  const stop = (): void => {
    const reason: unknown = signal?.reason;
    const { name, message } = reason instanceof Error ? reason : new DOMException('it was stopped', 'AbortError');
    stuck = after(STUCK_MS);
    after(GRACE_MS);
    thread.post({ kind: 'abort', id, reason: { name, message } });
  };
  if (limitMs !== null) after(limitMs);
  if (signal?.aborted === true) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  return {
    onAborted: () => clearTimeout(stuck),
    done: () => {
      signal?.removeEventListener('abort', stop);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

async function invoke(threads: ModuleThreads, order: Order): Promise<WorkerResult | Completion | SideEffects | null> {
  const { module, environment, method, memory, services, signal } = order;
  const thread = order.thread ?? (await threads.lease(module, environment, signal ?? undefined));
  order.onThread?.(thread);
  const id = nextId();
  const calls: ServedCalls = services === null ? offerNothing() : serveCalls(services, thread.post);
  const limits = enforce(id, thread, signal, method === 'execute' ? null : LONGEST_CHECK_MS);
  try {
    return valueOf(
      await new Promise<Outcome>((resolve, reject) => {
        thread.executions.begin(id, { resolve, reject, calls, onAborted: limits.onAborted });
        const isKnown = thread.memory === memory;
        thread.memory = memory;
        thread.post({
          kind: 'invoke',
          id,
          href: module.href,
          export: order.export,
          method,
          memory: isKnown ? null : plain(memory),
          services: calls.shape,
        });
      }),
    );
  } finally {
    limits.done();
  }
}

/** Returns a worker whose code is executed in separate threads. */
export function moduleWorker(
  module: ModuleFile,
  name: string,
  { sideEffects, manual, methods }: Exclude<Description, { readonly problem: string }>,
  environment: Environment = process.env,
  threads: ModuleThreads = moduleThreads,
): Worker {
  const at = new WeakMap<BlockMemory, ModuleThread>();
  const has = (method: Method): boolean => methods.includes(method);
  const call = (method: Method, memory: BlockMemory, services: Services | null, more: Partial<Order> = {}) =>
    invoke(threads, { module, environment, export: name, method, memory, services, signal: null, ...more });
  const cleanup = async (memory: BlockMemory, services: Services): Promise<void> => {
    await call('cleanup', memory, services, { thread: at.get(memory) });
  };
  return {
    sideEffects,
    ...(manual === undefined ? {} : { manual }),
    execute: async (memory, services, signal) => {
      const onThread = (thread: ModuleThread): void => void at.set(memory, thread);
      try {
        return (await call('execute', memory, services, { signal, onThread })) as WorkerResult;
      } finally {
        at.delete(memory);
      }
    },
    ...(has('sideEffectsOf')
      ? { sideEffectsOf: async (memory) => (await call('sideEffectsOf', memory, null)) as SideEffects | null }
      : {}),
    ...(has('checkPreconditions')
      ? {
          checkPreconditions: async (memory, services) => {
            await call('checkPreconditions', memory, services);
          },
        }
      : {}),
    ...(has('checkCompletion')
      ? {
          checkCompletion: async (memory, services) => (await call('checkCompletion', memory, services)) as Completion,
        }
      : {}),
    ...(has('cleanup') ? { cleanup } : {}),
  };
}
