import { connectHost, type HostClient } from '#host/client/index.ts';
import { serveHost } from '#host/server/index.ts';
import type { SessionBench } from './session-bench.ts';

export interface ServedBench {
  connect(): Promise<HostClient>;
  end(): Promise<void>;
}

/** Closes the engine of a bench and serves its project by a host, with a real socket. */
export async function serveBench({ close, environment: given, repository, at }: SessionBench): Promise<ServedBench> {
  const { root } = repository;
  close();
  const environment = { ...given, XDG_RUNTIME_DIR: at };
  const served = await serveHost({
    root,
    version: 'test',
    environment: { ...environment },
    lives: { idleMs: 3_600_000 },
    trusts: () => Promise.resolve(true),
    log: () => undefined,
  });
  if (!served.ok) throw new Error('nobody else has this engine');
  const clients: HostClient[] = [];
  return {
    connect: async () => {
      const found = await connectHost(root, { environment, client: 'test' });
      if (found.kind !== 'connected') throw new Error(found.kind);
      clients.push(found.client);
      return found.client;
    },
    end: async () => {
      for (const client of clients) client.close();
      await served.host.stop('force');
      await served.host.stopped;
    },
  };
}
