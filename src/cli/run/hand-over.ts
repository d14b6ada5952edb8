import { messageOf } from '#protocol/message-of.ts';
import type { Response } from '#protocol/response.ts';
import { haltsOf } from '../names/resume-commands.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { connectToHost } from './connect-to-host.ts';

/**
 * Starts an engine host for a run that waits for a time, because this process is about to end. `details.host` in the
 * returned Response is the host's process. If it is missing, the run does not continue automatically.
 */
export async function handOver(
  root: string,
  response: Response,
  warn: (message: string) => void,
  io: CliIo,
): Promise<Response> {
  const isTimed = response.reason === 'halted' && haltsOf(response).some(({ until }) => until !== null);
  if (!isTimed) return response;
  try {
    const found = await connectToHost(root, { spawn: true }, io);
    if (found.kind !== 'connected') return response;
    const { pid } = found.client.about;
    found.client.close();
    return { ...response, details: { ...response.details, host: pid } };
  } catch (thrown) {
    warn(`No engine host could be started (${messageOf(thrown)}): nothing continues automatically.`);
    return response;
  }
}
