import type { HostMethods, HostNotices } from '#protocol/host.ts';

/** The client that called a method. */
export interface Caller {
  /** True for a client in this process. */
  readonly isLocal: boolean;
  /** Resolves when the operating system has accepted the notification; rejects if the client has disconnected. */
  notify<Name extends keyof HostNotices>(name: Name, notice: HostNotices[Name]): Promise<void>;
  /** Calls `work` when the connection is closed. */
  onGone(work: () => void): void;
}

/**
 * Handles one method. The parameters are not validated yet: each method validates its own. Throws a RoboSmithError on
 * failure.
 */
type HandlerOf<Result> = (params: unknown, caller: Caller) => Result | Promise<Result>;

/** A table of methods by name. The parts of a host provide one table each. */
export type Methods<Names extends keyof HostMethods = keyof HostMethods> = {
  readonly [Name in Names]: HandlerOf<HostMethods[Name]['result']>;
};

/** A table of methods by any name, for look-ups of names that a client has sent. */
export type MethodTable = ReadonlyMap<string, HandlerOf<unknown>>;

export const methodTable = (...parts: readonly Partial<Methods>[]): MethodTable =>
  new Map(parts.flatMap((part) => Object.entries<HandlerOf<unknown>>(part)));

/** The caller of internal calls, which receives no notifications. */
const NOBODY: Caller = { isLocal: true, notify: () => Promise.resolve(), onGone: () => undefined };

/** Returns a function that calls methods from within the host. */
export const callerOf =
  (table: () => MethodTable) =>
  async <Name extends keyof HostMethods>(
    method: Name,
    params: HostMethods[Name]['params'],
  ): Promise<HostMethods[Name]['result']> =>
    (await table().get(method)?.(params, NOBODY)) as HostMethods[Name]['result'];
