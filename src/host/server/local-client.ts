import { RoboSmithError } from '#protocol/error.ts';
import type { HelloResult } from '#protocol/host.ts';
import type { HostClient } from '#protocol/host-client.ts';
import { messageOf } from '#protocol/message-of.ts';
import { hostError } from '../wire/host-error.ts';
import { createListeners } from '../wire/listeners.ts';
import type { Caller, MethodTable } from './methods/methods.ts';

interface LocalClientParts {
  readonly about: HelloResult;
  readonly methods: MethodTable;
  readonly log: (message: string) => void;
  /** Resolves when the host has stopped. */
  readonly stopped: Promise<void>;
}

/** Returns a value as it arrives over a socket, so that neither side can change what the other one holds. */
const copied = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

const goneAway = (data: RoboSmithError['data'] = {}): RoboSmithError =>
  new RoboSmithError('host_failed', 'The engine was stopped.', data);

/**
 * Returns a client of a host in the same process. Messages are copied and arrive in the order in which they were sent,
 * as over a socket: a notification that was sent before an answer arrives before it.
 */
export function connectInProcess({ about, methods, log, stopped }: LocalClientParts): HostClient {
  const { on, publish } = createListeners();
  const gone = Promise.withResolvers<undefined>();
  const leave: (() => void)[] = [];
  let isGone = false;
  let delivered: Promise<void> = Promise.resolve();
  const deliver = (message: () => void): Promise<void> => {
    delivered = delivered.then(() => {
      try {
        message();
      } catch (thrown) {
        log(messageOf(thrown));
      }
    });
    return delivered;
  };
  const caller: Caller = {
    isLocal: true,
    notify: (name, notice) => {
      if (isGone) return Promise.reject(goneAway());
      const message = copied(notice);
      return deliver(() => publish(name, message));
    },
    onGone: (work) => {
      if (isGone) work();
      else leave.push(work);
    },
  };
  const answer = async (method: string, params: unknown): Promise<unknown> => {
    const handle = methods.get(method);
    if (handle === undefined) throw new RoboSmithError('usage', `There is no method "${method}".`);
    return copied(await handle(params, caller));
  };
  /** The pending requests. */
  const waiting = new Set<(lost: RoboSmithError) => void>();
  const call = async (method: string, params: unknown): Promise<unknown> => {
    if (isGone) throw goneAway({ unsent: true });
    const lost = Promise.withResolvers<never>();
    waiting.add(lost.reject);
    try {
      return await Promise.race([answer(method, copied(params)), lost.promise]);
    } catch (thrown) {
      throw hostError(thrown);
    } finally {
      waiting.delete(lost.reject);
      await deliver(() => undefined);
    }
  };
  const close = (): void => {
    if (isGone) return;
    isGone = true;
    for (const work of leave) work();
    for (const lose of [...waiting]) lose(goneAway());
    gone.resolve(undefined);
  };
  void stopped.then(close);
  return {
    about,
    // The type of a result belongs to the method's name.
    call: call as HostClient['call'],
    on,
    gone: gone.promise,
    close,
  };
}
