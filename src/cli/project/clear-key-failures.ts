import { keyPlaces } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { harmless } from '../print/style.ts';
import { messageOf } from '#protocol/message-of.ts';
import { failureMessage } from '../print/why-it-failed.ts';
import { liveHost } from '../run/connect-to-host.ts';
import { withEngine } from '../run/with-engine.ts';
import { projectHere } from './project-here.ts';

/**
 * Clears cooling and failures of these keys in the current project, if any. An engine of another process notices the
 * change itself.
 */
export async function clearKeyFailures(aliases: readonly string[], io: CliIo): Promise<void> {
  const root = await projectHere(io);
  if (root === null || aliases.length === 0) return;
  const warn = (message: string): void => io.stderr.write(`${harmless(message)}\n`);
  const host = await liveHost(root, io);
  if (host !== null) {
    try {
      await host.call('keys.forgive', { aliases });
    } catch (thrown) {
      warn(`The failures of the key could not be cleared in the engine host: ${messageOf(thrown)}`);
    } finally {
      host.close();
    }
    return;
  }
  const done = await withEngine(
    root,
    warn,
    async (engine) => {
      for (const alias of aliases) await engine.clearKeyFailures(alias);
    },
    { isBrief: true, keys: keyPlaces(io.env, io.keychain) },
  );
  if (!done.ok) warn(`The failures of the key could not be cleared in this project: ${failureMessage(done.refusal)}`);
}
