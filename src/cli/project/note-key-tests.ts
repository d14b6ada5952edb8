import type { NotedKeyTest } from '#protocol/key-pool.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { harmless } from '../print/style.ts';
import { messageOf } from '#protocol/message-of.ts';
import { failureMessage } from '../print/why-it-failed.ts';
import { withClient } from '../run/with-client.ts';
import { projectHere } from './in-project.ts';

/** Notes the results of tests of keys in the current project, if any, so that all commands report the same state. */
export async function noteKeyTests(tests: readonly NotedKeyTest[], io: CliIo): Promise<void> {
  const root = await projectHere(io);
  if (root === null || tests.length === 0) return;
  const warn = (message: string): void => io.stderr.write(`${harmless(message)}\n`);
  try {
    const done = await withClient(root, { io, warn }, (client) => client.call('keys.tested', { tests }));
    if (!done.ok) warn(`The state of the key could not be changed in this project: ${failureMessage(done.refusal)}`);
  } catch (thrown) {
    warn(`The state of the key could not be changed in this project: ${messageOf(thrown)}`);
  }
}
