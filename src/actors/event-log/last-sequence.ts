import { readIfThere } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { eventFiles } from './event-files.ts';
import { linesWith } from './lines-with.ts';
import { readLine, runMark } from './read-line.ts';
import { unlessItThrows } from './unless-it-throws.ts';

/**
 * The number of a run's newest event in the log, 0 where there is none that can be read.
 * Looks backward, and no farther than it must: a file that is kept at most.
 */
export function lastSequence(calls: FileCalls, folder: string, run: RunId): number {
  const files = unlessItThrows(() => eventFiles(calls, folder)) ?? [];
  for (const file of [...files].reverse()) {
    const bytes = unlessItThrows(() => readIfThere(calls, file)) ?? new Uint8Array();
    for (const line of linesWith(bytes, runMark(run))) {
      const event = readLine(line);
      if (event?.run_id === run) return event.seq;
    }
  }
  return 0;
}
