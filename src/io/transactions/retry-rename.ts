import { rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : null);

/** What Windows says of a file that an editor, an indexer or a scanner holds for a moment. */
const HELD: ReadonlySet<unknown> = new Set(['EPERM', 'EBUSY', 'EACCES']);

/** On Windows: somebody holds this file, or its name is only about to go. */
export const isHeld = (thrown: unknown): boolean => process.platform === 'win32' && HELD.has(codeOf(thrown));

/** About a second in all. */
const WAITS_MS = [5, 10, 20, 40, 80, 160, 320, 400];

/** Renames also onto a file that somebody holds for a moment. */
export async function patientRename(from: string, to: string): Promise<void> {
  for (const wait of WAITS_MS) {
    try {
      return await rename(from, to);
    } catch (thrown) {
      if (!isHeld(thrown)) throw thrown;
    }
    await sleep(wait);
  }
  await rename(from, to);
}
