import { rememberTrust } from '#engine/authoring.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { harmless, styleFor } from '../print/style.ts';

/** The decisions of this command that could not be stored. */
const unsaved = new WeakMap<CliIo, Set<string>>();

/** Returns whether the user has decided this for the current command only. */
export const isDecidedHere = (hash: string, io: CliIo): boolean => unsaved.get(io)?.has(hash) === true;

/** Stores the decision. If it can't be stored, it applies to this command only. */
export async function remember(hash: string, place: string, io: CliIo): Promise<void> {
  try {
    await rememberTrust(hash, place, io.env);
  } catch (thrown) {
    unsaved.set(io, (unsaved.get(io) ?? new Set()).add(hash));
    const { paint, symbols } = styleFor(io.stderr, io);
    const text = `Your decision to trust it could not be saved: ${harmless(messageOf(thrown))}.`;
    io.stderr.write(`${paint.yellow(`${symbols.warn} ${text}`)}\n\n`);
  }
}
