import type { Log, Services } from '#protocol/services.ts';
import { errorData } from './error-data.ts';
import type { FromThread, ToThread } from './messages.ts';
import { type OfferedServices, offerServices, type ServiceShape, type ThreadArgument } from './service-shape.ts';

type Call = Extract<FromThread, { readonly kind: 'call' }>;

/** The engine's side of the services for one execution. */
export interface ServedCalls {
  readonly shape: ServiceShape;
  /** Never throws. */
  serve(call: Call): void;
  abort(signal: number): void;
  /** Aborts what the execution started without awaiting it. */
  end(): void;
}

type Post = (message: ToThread) => void;

/** Returns log functions by the ids that the thread assigns. */
function logFunctions({ logs }: Services): readonly (readonly [string, (...args: readonly unknown[]) => unknown])[] {
  if (logs === null) return [];
  const open = new Map<unknown, Log>();
  return [
    ['logs.open', (log) => void open.set(log, logs.open())],
    ['logs.add', (log, bytes) => open.get(log)?.add(bytes as Uint8Array)],
    ['logs.keep', (log, shown) => open.get(log)?.keep(shown as string | undefined) ?? null],
    ['logs.discard', (log) => open.get(log)?.discard()],
  ];
}

export function serveCalls(services: Services, post: Post): ServedCalls {
  const offered: OfferedServices = offerServices(services);
  const functions = new Map([...offered.functions, ...logFunctions(services)]);
  const controllers = new Map<number, AbortController>();

  const decode = (argument: ThreadArgument): unknown => {
    if (argument.kind === 'data') return argument.value;
    if (argument.kind === 'callback')
      return (...args: readonly unknown[]) => post({ kind: 'callback', callback: argument.callback, args });
    const controller = new AbortController();
    if (argument.aborted) controller.abort();
    controllers.set(argument.signal, controller);
    return controller.signal;
  };

  const reply = (call: number, outcome: Extract<ToThread, { kind: 'reply' }>['outcome'], name: string): void => {
    const now = services.clock.now();
    const written = name === 'changePlan.add' ? { written: services.changePlan?.written() ?? [] } : {};
    try {
      post({ kind: 'reply', call, now, outcome, ...written });
    } catch (thrown) {
      // The answer can't be cloned.
      post({ kind: 'reply', call, now, outcome: { ok: false, error: errorData(thrown) } });
    }
  };

  const perform = ({ name, args }: Call): unknown => {
    const called = functions.get(name);
    if (called === undefined) throw new Error(`there is no service ${name}`);
    return called(...args.map(decode));
  };

  return {
    shape: offered.shape,
    abort: (signal) => controllers.get(signal)?.abort(),
    end: () => {
      for (const controller of controllers.values()) controller.abort();
    },
    serve: (message) => {
      const { call, name } = message;
      Promise.resolve()
        .then(() => perform(message))
        .then(
          (value) => call !== null && reply(call, { ok: true, value }, name),
          (thrown: unknown) => call !== null && reply(call, { ok: false, error: errorData(thrown) }, name),
        )
        .catch(() => undefined);
    },
  };
}

const NOTHING: ServiceShape = {
  data: { block: null, definition: null, commands: {} },
  parts: {},
  now: 0,
  written: null,
  completed: null,
};

/** Offers no services, for functions that get none. */
export const offerNothing = (): ServedCalls => ({
  shape: NOTHING,
  serve: () => undefined,
  abort: () => undefined,
  end: () => undefined,
});
