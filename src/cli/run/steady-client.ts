import { setTimeout } from 'node:timers/promises';
import { RoboSmithError } from '#protocol/error.ts';
import type { HelloResult, HostMethods } from '#protocol/host.ts';
import type { HostClient } from '#protocol/host-client.ts';
import { busyText, type Owner } from './engine-trouble.ts';

/** A client of the engine's owner. */
export interface ReachedEngine {
  readonly client: HostClient;
  /** Ends the connection. Resolves to the process of the host that was started to continue what is left, or null. */
  leave(): Promise<number | null>;
}

const MOST_TRIES = 20;
const PAUSE_MS = 100;

/** Returns whether the owner ended before it took the request, so that the next owner can take it. */
const isUntaken = (thrown: unknown): boolean =>
  RoboSmithError.is(thrown, 'host_failed') && (thrown.data['stopping'] === true || thrown.data['unsent'] === true);

const isUnknownMethod = (thrown: unknown, method: string): boolean =>
  RoboSmithError.is(thrown, 'usage') && thrown.message === `There is no method "${method}".`;

const olderHost = ({ version, pid }: HelloResult): RoboSmithError =>
  new RoboSmithError(
    'host_version',
    `The engine host, process ${pid}, is of an older version (${version}) and can't do this. Stop it, and type the command again.`,
    { next: ['robosmith host stop'] },
  );

/**
 * Returns a client that stays usable when the engine's owner ends: a request that the owner has not taken is sent to the
 * next owner. A request that may have begun is never sent again.
 */
export function steadyClient(first: ReachedEngine, reach: () => Promise<ReachedEngine | Owner>): ReachedEngine {
  let current = first;
  let showsPrompts = false;
  const attach: (() => void)[] = [];
  const reconnect = async (): Promise<void> => {
    await current.leave();
    await setTimeout(PAUSE_MS);
    const next = await reach();
    if ('since' in next) throw new RoboSmithError('host_failed', busyText(next));
    current = next;
    for (const one of attach) one();
    if (showsPrompts) await current.client.call('prompts.open', {});
  };
  const call: HostClient['call'] = async (method, params) => {
    for (let tries = 1; ; tries += 1) {
      try {
        const result = await current.client.call(method, params);
        if (method === ('prompts.open' satisfies keyof HostMethods)) showsPrompts = true;
        return result;
      } catch (thrown) {
        if (isUnknownMethod(thrown, method)) throw olderHost(current.client.about);
        if (!isUntaken(thrown) || tries === MOST_TRIES) throw thrown;
        await reconnect();
      }
    }
  };
  const on: HostClient['on'] = (name, listener) => {
    let off = current.client.on(name, listener);
    const again = (): void => void (off = current.client.on(name, listener));
    attach.push(again);
    return () => {
      attach.splice(attach.indexOf(again), 1);
      off();
    };
  };
  const client: HostClient = {
    get about() {
      return current.client.about;
    },
    get gone() {
      return current.client.gone;
    },
    call,
    on,
    close: () => current.client.close(),
  };
  return { client, leave: () => current.leave() };
}
