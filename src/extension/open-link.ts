import { connectHost, createHostLink, type HostClient, type HostLink, keyEnvironment } from '#host/client/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { StoredSecrets } from './keys/stored-secrets.ts';
import { asNode, type ProgramFiles } from './window/program-files.ts';

async function connect(root: string, { cli }: ProgramFiles, secrets: StoredSecrets): Promise<HostClient> {
  const environment = asNode(process.env);
  const args = [cli, '-C', root, 'host', 'start', '--foreground', '--spawned'];
  const found = await connectHost(root, {
    environment: process.env,
    client: `VS Code, process ${process.pid}`,
    keys: async () => ({ environment: keyEnvironment(process.env), secrets: await secrets.all() }),
    spawn: { program: process.execPath, args, environment },
  });
  if (found.kind !== 'connected')
    throw new RoboSmithError(
      'host_failed',
      'Another process runs the engine of this project without the engine host. Wait until it has ended.',
      {
        next: ['robosmith host status'],
      },
    );
  return found.client;
}

/** Connects this window to the project's engine host. The host is started if it is not running. */
export const openLink = (root: string, files: ProgramFiles, secrets: StoredSecrets): HostLink =>
  createHostLink({ connect: () => connect(root, files, secrets), now: () => Date.now() });
