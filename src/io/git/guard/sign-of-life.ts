import { writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';

/** Milliseconds between two writes of the file. */
const BEAT_MS = 1_000;

const fileIn = (home: string): string => path.join(home, 'alive');

/**
 * Updates a file in the folder of a watch every second until the returned function is called. After a crash its time
 * says until when the engine has watched.
 */
export function keepSignOfLife(home: string): () => void {
  const beat = (): void => {
    try {
      writeFileSync(fileIn(home), '');
    } catch {
      // The folder is gone, or the disk is full: after a crash, every change then counts as one of the block.
    }
  };
  beat();
  const timer = setInterval(beat, BEAT_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Returns the time in milliseconds since the epoch after which the engine of a watch no longer existed; infinite if
 * that is unknown.
 */
export const endOfLife = (home: string): Promise<number> =>
  stat(fileIn(home)).then(
    ({ mtimeMs }) => mtimeMs + 2 * BEAT_MS,
    () => Infinity,
  );
