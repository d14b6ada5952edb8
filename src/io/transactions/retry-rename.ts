import { rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCodeOf } from '#protocol/system-error.ts';

/** The error codes on Windows for a file that an editor, an indexer or a virus scanner holds open for a moment. */
const HELD: ReadonlySet<unknown> = new Set(['EPERM', 'EBUSY', 'EACCES']);

/** Returns whether, on Windows, another process still holds the file, or a removed file has not disappeared yet. */
export const isHeld = (thrown: unknown): boolean => process.platform === 'win32' && HELD.has(systemCodeOf(thrown));

/** The pauses between attempts in milliseconds, about a second in all. */
const WAITS_MS = [5, 10, 20, 40, 80, 160, 320, 400];

/** Renames a file; on Windows it retries while another process holds either file open. */
export async function renameWithRetries(from: string, to: string): Promise<void> {
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
