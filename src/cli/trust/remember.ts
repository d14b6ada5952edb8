import { rememberTrust } from '#engine/authoring.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { harmless, styleFor } from '../print/style.ts';

/** Stores the decision. If it can't be stored, it applies to this command only. */
export async function remember(hash: string, place: string, io: CliIo): Promise<void> {
  try {
    await rememberTrust(hash, place, io.env);
  } catch (thrown) {
    const { paint, symbols } = styleFor(io.stderr, io);
    const text = `Your decision to trust it could not be saved: ${harmless(messageOf(thrown))}.`;
    io.stderr.write(`${paint.yellow(`${symbols.warn} ${text}`)}\n\n`);
  }
}
