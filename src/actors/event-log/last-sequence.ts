import { readIfThere } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { eventFiles } from './event-files.ts';
import { linesWith } from './lines-with.ts';
import { readLine, runMark } from './read-line.ts';
import { nullIfItThrows } from './null-if-it-throws.ts';

/**
 * Returns the number of a run's newest readable event, or 0. Reads the log backwards, file by file, until it finds an
 * event of the run.
 */
export function lastSequence(calls: FileCalls, folder: string, run: RunId): number {
  const files = nullIfItThrows(() => eventFiles(calls, folder)) ?? [];
  for (const file of [...files].reverse()) {
    const bytes = nullIfItThrows(() => readIfThere(calls, file)) ?? new Uint8Array();
    for (const line of linesWith(bytes, runMark(run))) {
      const event = readLine(line);
      if (event?.run_id === run) return event.seq;
    }
  }
  return 0;
}
