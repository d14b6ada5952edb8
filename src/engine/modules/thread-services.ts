import { messageOf } from '#protocol/message-of.ts';
import type { ProcessEnd, Services } from '#protocol/services.ts';
import { thrownBy } from './error-data.ts';
import type { FromThread, ToThread } from './messages.ts';
import type { ServicePart, ServiceShape, ThreadArgument } from './service-shape.ts';

type Reply = Extract<ToThread, { readonly kind: 'reply' }>;
type Callback = Extract<ToThread, { readonly kind: 'callback' }>;

export interface ThreadServices {
  readonly services: Services;
  reply(reply: Reply): void;
  callback(callback: Callback): void;
}

type Post = (message: FromThread) => void;
type Call = (name: string, args: readonly unknown[]) => Promise<unknown>;
type Cast = (name: string, args: readonly unknown[]) => void;

interface Calls {
  readonly call: Call;
  /** Sends a call without an answer. */
  readonly cast: Cast;
  readonly settle: (reply: Reply) => void;
  readonly callback: (callback: Callback) => void;
}

/** Ids are unique in the thread, so that a late answer for an ended execution reaches no other execution. */
let ids = 0;
const nextId = (): number => (ids += 1);

function createCalls(id: number, post: Post): Calls {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(thrown: unknown): void }>();
  const callbacks = new Map<number, (...args: readonly unknown[]) => void>();

  const encode = (value: unknown): ThreadArgument => {
    if (typeof value === 'function') {
      const callback = nextId();
      callbacks.set(callback, value as (...args: readonly unknown[]) => void);
      return { kind: 'callback', callback };
    }
    if (!(value instanceof AbortSignal)) return { kind: 'data', value };
    const signal = nextId();
    value.addEventListener('abort', () => post({ kind: 'signal', signal }), { once: true });
    return { kind: 'signal', signal, aborted: value.aborted };
  };

  return {
    cast: (name, args) => post({ kind: 'call', id, call: null, name, args: args.map(encode) }),
    call: (name, args) =>
      new Promise((resolve, reject) => {
        const call = nextId();
        waiting.set(call, { resolve, reject });
        try {
          post({ kind: 'call', id, call, name, args: args.map(encode) });
        } catch (thrown) {
          waiting.delete(call);
          reject(thrown instanceof Error ? thrown : new Error(messageOf(thrown)));
        }
      }),
    settle: ({ call, outcome }) => {
      const waits = waiting.get(call);
      waiting.delete(call);
      if (outcome.ok) waits?.resolve(outcome.value);
      else waits?.reject(thrownBy(outcome.error));
    },
    callback: ({ callback, args }) => callbacks.get(callback)?.(...args),
  };
}

/** Returns the calling thread's clock: the last reported time plus the time since. */
function createNow(first: number) {
  let reported = first;
  let at = performance.now();
  return {
    now: () => reported + Math.floor(performance.now() - at),
    setNow: (now: number) => {
      reported = now;
      at = performance.now();
    },
  };
}

/** Opens a log at once, as in the engine's thread; its bytes follow as messages. */
function createLogs({ call, cast }: Calls): NonNullable<Services['logs']> {
  return {
    open: () => {
      const log = nextId();
      cast('logs.open', [log]);
      return {
        add: (bytes) => cast('logs.add', [log, bytes]),
        keep: (shown) => call('logs.keep', [log, shown]) as Promise<never>,
        discard: () => cast('logs.discard', [log]),
      };
    },
  };
}

function createCompletion({ cast }: Calls, completed: ProcessEnd | null): NonNullable<Services['completion']> {
  return { keep: (end) => cast('completion.keep', [end]), recall: () => completed };
}

const remote = (name: string, { fields, functions }: ServicePart, call: Call): Record<string, unknown> => ({
  ...fields,
  ...Object.fromEntries(
    functions.map((key) => [key, (...args: readonly unknown[]) => call(`${name}.${key}`, args)] as const),
  ),
});

const isMissing = (part: object | null | undefined): boolean => part === null || part === undefined;

/** Creates the services of one execution inside the thread: every call is a message, and every answer a promise. */
export function createThreadServices(id: number, shape: ServiceShape, post: Post): ThreadServices {
  const calls = createCalls(id, post);
  const clock = createNow(shape.now);
  let written = shape.written ?? [];
  const parts = Object.fromEntries(
    Object.entries(shape.parts).map(([name, part]) => [name, part === null ? null : remote(name, part, calls.call)]),
  );
  const services = {
    ...shape.data,
    ...parts,
    agents: null,
    clock: { ...parts['clock'], now: clock.now },
    ...(isMissing(parts['changePlan']) ? {} : { changePlan: { ...parts['changePlan'], written: () => written } }),
    ...(isMissing(parts['logs']) ? {} : { logs: createLogs(calls) }),
    ...(isMissing(parts['completion']) ? {} : { completion: createCompletion(calls, shape.completed) }),
    progress: (text: string) => calls.cast('progress', [text]),
  };
  return {
    services: services as unknown as Services,
    callback: calls.callback,
    reply: (reply) => {
      clock.setNow(reply.now);
      if (reply.written !== undefined) ({ written } = reply as Required<Reply>);
      calls.settle(reply);
    },
  };
}
