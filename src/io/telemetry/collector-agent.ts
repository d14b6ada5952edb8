import { readFile } from 'node:fs/promises';
import type { Agent } from 'node:http';
import path from 'node:path';
import type { CertificateFiles } from './telemetry-settings.ts';

/**
 * Connections to the collector that can be closed. With the exporter's own agent, open connections would keep a
 * finished process alive.
 */
export interface CollectorAgent {
  readonly factory: (protocol: string) => Promise<Agent>;
  destroy(): void;
}

const read = (file: string | null): Promise<Buffer | undefined> =>
  file === null ? Promise.resolve(undefined) : readFile(path.resolve(file));

/** Creates the connections. Rejects if a certificate can't be read. */
export async function createCollectorAgent({ ca, cert, key }: CertificateFiles): Promise<CollectorAgent> {
  const [caText, certText, keyText] = await Promise.all([read(ca), read(cert), read(key)]);
  const tls = {
    ...(caText === undefined ? {} : { ca: caText }),
    ...(certText === undefined ? {} : { cert: certText }),
    ...(keyText === undefined ? {} : { key: keyText }),
  };
  const agents: Agent[] = [];
  return {
    factory: async (protocol) => {
      const agent =
        protocol === 'http:'
          ? new (await import('node:http')).Agent({ keepAlive: true })
          : new (await import('node:https')).Agent({ keepAlive: true, ...tls });
      agents.push(agent);
      return agent;
    },
    destroy: () => {
      for (const agent of agents) agent.destroy();
    },
  };
}
