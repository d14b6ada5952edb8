import { refusalResponse } from '#engine/authoring.ts';
import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { RunToFollow } from './followed-run.ts';
import { detached } from './follow-in-host.ts';
import { storedRunCommands } from '../names/stored-run-commands.ts';
import { connectToHost } from './connect-to-host.ts';
import { retryWhileStopping } from './retry-while-stopping.ts';
import { busy } from './with-engine.ts';

/** Starts a run in the engine host, starting the host if necessary, and returns without waiting for it. */
export const detach = (
  root: string,
  elsewhere: boolean,
  beginInHost: RunToFollow['beginInHost'],
  io: CliIo,
): Promise<Response> => retryWhileStopping(() => beginIn(root, elsewhere, beginInHost, io));

async function beginIn(
  root: string,
  elsewhere: boolean,
  beginInHost: RunToFollow['beginInHost'],
  io: CliIo,
): Promise<Response> {
  const found = await connectToHost(root, { spawn: true }, io);
  if (found.kind === 'owned') return busy(found.owner);
  if (found.kind === 'nobody') return refusalResponse('engine_busy', { message: 'No engine host could be started.' });
  const { client } = found;
  try {
    const begun = await beginInHost(client);
    return begun.ok ? detached(storedRunCommands(begun.run, elsewhere ? root : null, io), client) : begun.refusal;
  } finally {
    client.close();
  }
}
