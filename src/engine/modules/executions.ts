import type { ThreadEnd } from '#io/threads/thread.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { FromThread, Outcome } from './messages.ts';
import type { ServedCalls } from './serve-calls.ts';

/** Thrown when a thread ended before its execution. */
export class ModuleThreadError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ModuleThreadError';
  }
}

let ids = 0;

/** Returns an id for an invocation, unique in the process. */
export const nextId = (): number => (ids += 1);

type FoundExport = Extract<FromThread, { readonly kind: 'described' }>['found'];

interface Waiting<Value> {
  resolve(value: Value): void;
  reject(thrown: unknown): void;
}

interface Execution extends Waiting<Outcome> {
  readonly calls: ServedCalls;
  readonly onAborted: () => void;
}

/** The executions of one thread; all of them fail if the thread ends. */
export interface Executions {
  begin(id: number, execution: Execution): void;
  describe(id: number, waiting: Waiting<FoundExport>): void;
  isIdle(): boolean;
  /** Handles a message of the thread. */
  hear(message: FromThread): void;
  /** Called when the thread has ended. */
  fail(end: ThreadEnd): void;
  /** Sets the message with which the executions of the thread fail once it has ended. Later calls do not change it. */
  condemn(why: string): void;
}

function whyEnded(end: ThreadEnd): string {
  if (end.kind === 'flooded') return 'it sent messages faster than the engine can read them';
  if (end.kind === 'exited') return `it ended its thread with process.exit(${end.code})`;
  const { error } = end;
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return 'it exceeded the memory limit of its thread';
  return `an unhandled error ended its thread: ${messageOf(error)}`;
}

export function createExecutions(): Executions {
  const executions = new Map<number, Execution>();
  const described = new Map<number, Waiting<FoundExport>>();
  let condemned: string | null = null;
  return {
    begin: (id, execution) => void executions.set(id, execution),
    describe: (id, waiting) => void described.set(id, waiting),
    isIdle: () => executions.size === 0 && described.size === 0,
    condemn: (why) => (condemned ??= why),
    hear: (message) => {
      if (message.kind === 'described') {
        described.get(message.id)?.resolve(message.found);
        described.delete(message.id);
      } else if (message.kind === 'ended') {
        const execution = executions.get(message.id);
        executions.delete(message.id);
        execution?.calls.end();
        execution?.resolve(message.outcome);
      } else if (message.kind === 'aborted') executions.get(message.id)?.onAborted();
      else if (message.kind === 'call') executions.get(message.id)?.calls.serve(message);
      else if (message.kind === 'signal') for (const { calls } of executions.values()) calls.abort(message.signal);
    },
    fail: (end) => {
      const error = new ModuleThreadError(condemned ?? whyEnded(end));
      for (const { calls, reject } of executions.values()) {
        calls.end();
        reject(error);
      }
      for (const { reject } of described.values()) reject(error);
      executions.clear();
      described.clear();
    },
  };
}
