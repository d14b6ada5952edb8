import type { HostMethods, HostNotices } from '#protocol/host.ts';

/** A client, as a method sees it. */
export interface Caller {
  /** Ends when the system has taken it; rejects when the client is gone. */
  notify<Name extends keyof HostNotices>(name: Name, notice: HostNotices[Name]): Promise<void>;
  /** When its connection is over. */
  onGone(work: () => void): void;
}

/** What comes is as untyped as it is: each method reads its own parameters. Throws a RoboSmithError where it can't be done. */
export type HandlerOf<Result> = (params: unknown, caller: Caller) => Result | Promise<Result>;

/** Methods by name. Parts of a host bring their own tables; a name belongs to one of them. */
export type Methods<Names extends keyof HostMethods = keyof HostMethods> = {
  readonly [Name in Names]: HandlerOf<HostMethods[Name]['result']>;
};

/** Any table, to be looked up by a name that came from outside. */
export type MethodTable = ReadonlyMap<string, HandlerOf<unknown>>;

export const methodTable = (...parts: readonly Partial<Methods>[]): MethodTable =>
  new Map(parts.flatMap((part) => Object.entries<HandlerOf<unknown>>(part)));

/** Whoever asks from within the host hears no notice. */
const NOBODY: Caller = { notify: () => Promise.resolve(), onGone: () => undefined };

/** Calls methods of a table from within the host. */
export const callerOf =
  (table: () => MethodTable) =>
  async <Name extends keyof HostMethods>(
    method: Name,
    params: HostMethods[Name]['params'],
  ): Promise<HostMethods[Name]['result']> =>
    (await table().get(method)?.(params, NOBODY)) as HostMethods[Name]['result'];
