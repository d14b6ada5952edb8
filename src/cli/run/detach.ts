import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { RunToFollow } from './followed-run.ts';
import { detached } from './follow-in-host.ts';
import { storedRunCommands } from '../names/stored-run-commands.ts';
import { type ReachParts, withClient } from './with-client.ts';

/** Starts a run in the engine host, starting the host if necessary, and returns without waiting for it. */
export async function detach(
  root: string,
  elsewhere: boolean,
  begin: RunToFollow['begin'],
  warn: ReachParts['warn'],
  io: CliIo,
): Promise<Response> {
  const done = await withClient(root, { io, warn, inHost: true }, async (client) => {
    const begun = await begin(client);
    return begun.ok ? detached(storedRunCommands(begun.run, elsewhere ? root : null, io), client) : begun.refusal;
  });
  return done.ok ? done.value : done.refusal;
}
