import type { HelloResult, HostMethod, HostMethods, HostNotices } from './host.ts';

/** A connection to the owner of a project's engine: over a socket, or over memory within one process. */
export interface HostClient {
  readonly about: HelloResult;
  /** Sends a request. Rejects with the host's RoboSmithError, or with `host_failed` if the connection is lost. */
  call<Name extends HostMethod>(
    method: Name,
    params: HostMethods[Name]['params'],
  ): Promise<HostMethods[Name]['result']>;
  /** Adds a listener for a notification. Returns a function that removes it. */
  on<Name extends keyof HostNotices>(name: Name, listener: (notice: HostNotices[Name]) => void): () => void;
  /** Resolves when the connection is closed, by either side. */
  readonly gone: Promise<void>;
  close(): void;
}
